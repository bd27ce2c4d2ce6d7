use gamete_arena::Task;
use serde::{Deserialize, Serialize};

use crate::message::{Batch, MAX_BYTES, Order, ours};
use crate::part::{Part, Place};

/// A [`Batch`] as it is sent: what several of its tasks have in common is in it once.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SentBatch {
    #[serde(deserialize_with = "ours")]
    version: u32,
    batch: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<u64>,
    shared: Vec<Shared>,
    orders: Vec<SentOrder>,
}

/// A part of one or several tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shared {
    Here(Part),
    /// At the broker, by its hash.
    Kept(String),
}

/// A task without the parts that it has in common with others.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentOrder {
    id: String,
    task: Task,
    /// Where parts belong, by their numbers.
    parts: Vec<(Place, usize)>,
}

/// Parts among which a part is looked for that is the same.
const LATEST: usize = 32;

impl From<Batch> for SentBatch {
    fn from(Batch { version, batch, reference, orders }: Batch) -> Self {
        let mut shared = Vec::new();
        let mut number = |part: Shared| {
            let mut latest = shared.iter().enumerate().rev().take(LATEST);
            let known = latest.find_map(|(number, known)| (*known == part).then_some(number));
            known.unwrap_or_else(|| {
                shared.push(part);
                shared.len() - 1
            })
        };
        let send = |Order { id, mut task, kept }: Order| {
            let mut parts: Vec<_> =
                kept.into_iter().map(|(place, hash)| (place, number(Shared::Kept(hash)))).collect();
            for place in Place::ALL {
                parts.extend(place.take(&mut task).map(|part| (place, number(Shared::Here(part)))));
            }
            SentOrder { id, task, parts }
        };
        let orders = orders.into_iter().map(send).collect();
        Self { version, batch, reference, shared, orders }
    }
}

impl TryFrom<SentBatch> for Batch {
    type Error = String;

    fn try_from(sent: SentBatch) -> Result<Self, String> {
        let (version, reference) = (sent.version, sent.reference);
        Ok(Self { version, reference, batch: sent.batch.clone(), orders: sent.orders(MAX_BYTES)? })
    }
}

impl SentBatch {
    /// The ids of its tasks.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.orders.iter().map(|order| order.id.as_str())
    }

    /// The tasks of one that was made here.
    pub fn into_orders(self) -> Vec<Order> {
        self.orders(u64::MAX).expect("parts that were taken out of these tasks")
    }

    /// Its tasks with all their parts, unless these are of more bytes.
    fn orders(self, most: u64) -> Result<Vec<Order>, String> {
        let Self { shared, orders, .. } = self;
        let mut bytes = 0;
        let receive = |SentOrder { id, mut task, parts }: SentOrder| {
            let mut kept = Vec::new();
            for (place, number) in parts {
                match shared.get(number).ok_or_else(|| format!("there is no part {number}"))? {
                    Shared::Kept(hash) => kept.push((place, hash.clone())),
                    Shared::Here(part) => {
                        // A small message may not be made to grow by naming a part often.
                        bytes += part.least_bytes() as u64;
                        if bytes > most || !place.put(&mut task, part.clone()) {
                            return Err(format!("part {number} does not belong where it is named"));
                        }
                    }
                }
            }
            Ok(Order { id, task, kept })
        };
        orders.into_iter().map(receive).collect()
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Contestant, GameName, Limits, Player, Puzzle, SolveTask};

    use super::*;
    use crate::message::PROTOCOL;

    fn order(number: usize) -> Order {
        let solver = Contestant::new(Player::load("chess/material").unwrap(), Limits::nodes(1));
        let fen = "8/8/8/8/8/8/8/K1k5 w - - 0 1".to_owned();
        let positions = vec![Puzzle { fen, best: Vec::new(), avoid: Vec::new() }; number];
        let task = SolveTask { game: GameName::Chess, solver, hash_mb: 1, positions };
        Order::new(number.to_string(), task.into())
    }

    fn batch(orders: Vec<Order>) -> Batch {
        Batch { version: PROTOCOL, batch: "b".to_owned(), reference: Some(7), orders }
    }

    #[test]
    fn what_tasks_have_in_common_is_sent_once() {
        let mut orders: Vec<_> = [1, 9, 1, 9, 10].map(order).into();
        orders[2].kept.push((Place::Second, "f00".to_owned()));
        let whole = batch(orders);
        let sent = SentBatch::from(whole.clone());
        // A player, two lists, and what is kept elsewhere.
        assert_eq!(sent.shared.len(), 4);
        let text = serde_json::to_string(&sent).expect("plain data");
        assert_eq!(sent.into_orders(), whole.orders);
        assert_eq!(text.matches("chess/material").count(), 2 + whole.orders.len(), "{text}");
        assert_eq!(serde_json::from_str::<Batch>(&text).expect("a batch"), whole);
    }

    #[test]
    fn parts_that_do_not_belong_are_refused() {
        let refused = |parts: Vec<(Place, usize)>| {
            let mut sent = SentBatch::from(batch(vec![order(9)]));
            sent.orders[0].parts = parts;
            Batch::try_from(sent).expect_err("an error")
        };
        assert_eq!(refused(vec![(Place::First, 7)]), "there is no part 7");
        assert_eq!(refused(vec![(Place::Positions, 0)]), "part 0 does not belong where it is named");
        // Ten megabytes, named again and again.
        let mut sent = SentBatch::from(batch(vec![order(400_000)]));
        sent.orders[0].parts = vec![(Place::Positions, 1); 100];
        assert!(Batch::try_from(sent).is_err());
    }
}
