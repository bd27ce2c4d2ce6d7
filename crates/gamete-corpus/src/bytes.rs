//! Lists of integers in files.

/// An integer that files have.
pub(crate) trait Integer: Copy + Sized {
    /// Appends them, the lowest byte first.
    fn put_all(bytes: &mut Vec<u8>, values: &[Self]);

    /// As many as there are bytes for.
    fn take_all(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl Integer for $integer {
            fn put_all(bytes: &mut Vec<u8>, values: &[Self]) {
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }

            fn take_all(bytes: &[u8]) -> Vec<Self> {
                let (chunks, _) = bytes.as_chunks();
                chunks.iter().map(|chunk| Self::from_le_bytes(*chunk)).collect()
            }
        })*
    };
}

integers!(u8, i8, u16, i16, u32, i32, u64);

/// Appends a list: how many there are, and then all of them.
pub(crate) fn put<I: Integer>(bytes: &mut Vec<u8>, values: &[I]) {
    bytes.extend((values.len() as u64).to_le_bytes());
    I::put_all(bytes, values);
}

/// Takes lists from the front of bytes.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// From these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next list; none if there are not so many bytes.
    pub fn take<I: Integer>(&mut self) -> Option<Vec<I>> {
        let (count, rest) = self.0.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(size_of::<I>())?;
        let (list, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(I::take_all(list))
    }

    /// Whether there are no more.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
