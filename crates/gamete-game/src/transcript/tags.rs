/// The tag pairs of a game, each name once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The seven tags that every game file starts with, in their order, and what they say when nothing is known.
    pub const ROSTER: [(&'static str, &'static str); 7] = [
        ("Event", "?"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", "*"),
    ];

    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|&(known, _)| known == name).map(|(_, value)| value)
    }

    /// Sets a tag, in place if it is there already, else at the end.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((name.to_owned(), value.into())),
        }
    }

    /// The value of a tag, whatever the case of its name, unless there is nothing in it.
    pub fn find(&self, name: &str) -> Option<&str> {
        let found =
            self.iter().find(|(known, value)| known.eq_ignore_ascii_case(name) && !value.trim().is_empty());
        found.map(|(_, value)| value)
    }

    /// Takes a tag away, whatever the case of its name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same tags with the roster complete and first.
    #[must_use]
    pub fn with_roster(&self) -> Self {
        let mut tags = Self::default();
        for (name, unknown) in Self::ROSTER {
            tags.set(name, self.get(name).unwrap_or(unknown));
        }
        for (name, value) in self.iter() {
            tags.set(name, value);
        }
        tags
    }
}
