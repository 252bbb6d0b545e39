//! Scopes: where in a model something happens, as in `model.layers.3.mlp`.

/// The scopes of a record, by number; 0 is the root, whose path is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

/// A scope: `name` below its parent, with its index when it is one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) parent: u32,
    pub(super) name: &'static str,
    pub(super) index: Option<u32>,
}

impl Scopes {
    /// Adds a scope and gives its number.
    pub(super) fn add(&mut self, scope: Scope) -> u32 {
        self.0.push(scope);
        u32::try_from(self.0.len()).unwrap_or(0)
    }

    /// The scope with this number, unless it is the root.
    pub(super) fn get(&self, scope: u32) -> Option<&Scope> {
        self.0.get((scope as usize).checked_sub(1)?)
    }

    /// The name of a scope and its index, unless it is the root.
    pub fn name(&self, scope: u32) -> Option<(&'static str, Option<u32>)> {
        self.get(scope).map(|scope| (scope.name, scope.index))
    }

    /// The scope that a scope is below, unless it is the root.
    pub fn parent(&self, scope: u32) -> Option<u32> {
        self.get(scope).map(|scope| scope.parent)
    }

    /// The outermost scope with an index that a scope is, or is below.
    pub(super) fn outermost_item(&self, scope: u32) -> Option<u32> {
        let way = std::iter::successors(Some(scope), |&at| self.parent(at));
        let items = way.filter(|&at| self.name(at).is_some_and(|(_, index)| index.is_some()));
        items.last()
    }

    /// Scopes from the number `first` on.
    pub(super) fn since(&self, first: usize) -> impl Iterator<Item = (u32, &Scope)> {
        let first = first.max(1);
        let numbers = u32::try_from(first).unwrap_or(u32::MAX)..;
        numbers.zip(self.0.iter().skip(first - 1))
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, scope: u32) -> Option<&mut Scope> {
        self.0.get_mut((scope as usize).checked_sub(1)?)
    }

    /// The path of a scope, in which those without a name are not written.
    pub fn path(&self, scope: u32) -> String {
        let mut way = Vec::new();
        let mut at = scope;
        while let Some(scope) = self.get(at) {
            way.push(scope);
            at = scope.parent;
        }
        let mut path = String::new();
        let named = way.into_iter().rev().filter(|scope| !scope.name.is_empty());
        for scope in named {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(scope.name);
            if let Some(index) = scope.index {
                path.push('.');
                path.push_str(&index.to_string());
            }
        }
        path
    }
}
