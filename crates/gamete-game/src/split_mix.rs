/// Output `n` of SplitMix64 from seed 0: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014. Good for keys of positions and for noise.
#[inline]
pub const fn split_mix(n: u64) -> u64 {
    let z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
