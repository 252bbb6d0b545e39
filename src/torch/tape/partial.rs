//! Backward passes for some gradients only: gradients of an input first, gradients of parameters later, from where the
//! paths to them branch off.
//!
//! Source: `torch/distributed/pipelining/_backward.py` and `torch.autograd.grad`, whose `inputs` say which nodes run
//! (`Engine::init_to_execute`, `torch/csrc/autograd/engine.cpp`), torch 2.15.

use super::engine::Ready;
use super::graph::{Edge, Grads, Leaf, Node};
use super::{Tape, Tensor};
use smallvec::SmallVec;
use std::collections::BinaryHeap;
use std::iter::once;
use std::rc::Rc;

/// Whether a node is asked for the gradient of each of its inputs (`task_should_compute_output`).
pub(super) type AskedInputs = SmallVec<[bool; 4]>;

/// An edge of the graph, held without its tensor (`torch.autograd.graph.get_gradient_edge`).
pub struct GradientEdge(Edge);

/// Parameters whose gradients come by the same nodes.
pub struct ParameterGroup {
    parameters: Vec<Rc<Leaf>>,
    /// The nodes at which their paths leave those to the input, each with the gradients that came to it.
    intermediates: Vec<(Rc<Node>, Grads)>,
    /// The pass that found them.
    pass: u32,
}

/// The parts of the graph that a pass runs.
struct Wanted<'a> {
    pass: u32,
    leaves: &'a [Rc<Leaf>],
    /// Whether the saved tensors of the nodes stay (`retain_graph`).
    retains: bool,
}

impl Wanted<'_> {
    fn has(&self, edge: &Edge) -> bool {
        match edge {
            Edge::Node(node, _) => node.needed.get() == self.pass,
            Edge::Leaf(leaf) => self.leaves.iter().any(|wanted| Rc::ptr_eq(wanted, leaf)),
            Edge::Redirected(_) => false,
        }
    }
}

/// A beginning of a backward pass.
struct Root {
    node: Rc<Node>,
    /// The number of the result.
    nr: u16,
    /// The gradient of that.
    gradient: Tensor,
}

impl Tape {
    /// Whether the node that goes backward is asked for the gradient of its input `i`.
    pub(super) fn asks(&self, i: usize) -> bool {
        let asked = self.asked.borrow();
        asked
            .as_ref()
            .is_none_or(|asked| asked.get(i) != Some(&false))
    }

    /// The place of `x` in the graph, if it has one.
    pub fn gradient_edge(&self, x: &Tensor) -> Option<GradientEdge> {
        x.resolved_edge().map(GradientEdge)
    }

    /// `torch.autograd.backward(root, gradient)`.
    pub fn backward_from_edge(&self, root: &GradientEdge, gradient: &Tensor) {
        self.backward_from(&[(root.0.clone(), gradient)]);
    }

    /// `stage_backward_input`: the gradient of `input`, and by which nodes gradients come to `parameters`. What
    /// the nodes have saved stays for [`Self::backward_of_parameters`].
    pub fn backward_of_input(
        &self,
        root: &GradientEdge,
        gradient: &Tensor,
        input: &Tensor,
        parameters: &[Tensor],
    ) -> (Option<Tensor>, Vec<ParameterGroup>) {
        let (Edge::Node(node, nr), Some(Edge::Leaf(leaf))) = (&root.0, input.resolved_edge())
        else {
            return (None, Vec::new());
        };
        let leaves = [leaf];
        let reached = self.reached([node], &leaves, true, None);
        let wanted = Wanted {
            pass: reached.pass,
            leaves: &leaves,
            retains: true,
        };
        for node in &reached.nodes {
            if node.needed.get() == wanted.pass {
                node.towards_input.set(wanted.pass);
            }
        }
        let mut groups = parameter_groups(&reached, parameters);
        drop(reached);
        let mut places: Vec<(*const Node, [usize; 2])> = Vec::new();
        for (of, group) in groups.iter().enumerate() {
            let nodes = group.intermediates.iter().enumerate();
            places.extend(nodes.map(|(at, (node, _))| (Rc::as_ptr(node), [of, at])));
        }
        places.sort_unstable();
        let of_input = self.going_backward(|| {
            let roots = [Root {
                node: Rc::clone(node),
                nr: *nr,
                gradient: gradient.clone(),
            }];
            self.run_wanted(roots, &wanted, &mut |node, gradients| {
                let at = places.binary_search_by_key(&Rc::as_ptr(node), |(at, _)| *at);
                let place = at.ok().and_then(|at| places.get(at));
                let kept = place.and_then(|(_, [group, at])| {
                    let group: &mut ParameterGroup = groups.get_mut(*group)?;
                    group.intermediates.get_mut(*at)
                });
                if let Some((_, kept)) = kept {
                    kept.clone_from(gradients);
                }
            });
            leaves[0].buffer.take()
        });
        (of_input, groups)
    }

    /// `stage_backward_weight`: the gradients of the parameters of each group, which are added to their existing
    /// gradients.
    pub fn backward_of_parameters(&self, groups: Vec<ParameterGroup>) {
        // The tensors of the group before that Python's variables hold.
        let mut before: Vec<Tensor> = Vec::new();
        let mut current: Vec<(Rc<Node>, Grads)> = Vec::new();
        for group in groups {
            let several = group.intermediates.len() > 1;
            drop(std::mem::replace(&mut current, group.intermediates));
            let towards = (!several).then_some(group.pass);
            let nodes = current.iter().map(|(node, _)| node);
            let reached = self.reached(nodes, &group.parameters, false, towards);
            let wanted = Wanted {
                pass: reached.pass,
                leaves: &group.parameters,
                retains: false,
            };
            drop(reached);
            let gradients: Vec<Tensor> = self.going_backward(|| {
                let roots = current.iter().flat_map(|(node, gradients)| {
                    let gradients = (0..).zip(gradients.iter());
                    gradients.filter_map(|(nr, gradient)| {
                        Some(Root {
                            node: Rc::clone(node),
                            nr,
                            gradient: gradient.clone()?,
                        })
                    })
                });
                self.run_wanted(roots, &wanted, &mut |_, _| ());
                let leaves = group.parameters.iter();
                leaves.filter_map(|leaf| leaf.buffer.take()).collect()
            });
            for (leaf, gradient) in group.parameters.iter().zip(&gradients) {
                let mut own = leaf.grad.borrow_mut();
                own.get_or_insert_with(|| gradient.detach());
            }
            before = gradients;
        }
        drop((current, before));
    }

    /// The inputs that a graph holds, each once.
    pub(super) fn inputs_of(&self, edge: &Edge) -> Vec<Tensor> {
        let nodes = match edge {
            Edge::Node(node, _) => self.reached([node], &[], true, None).nodes,
            _ => Vec::new(),
        };
        let edges = nodes.iter().flat_map(|node| node.edges.iter().flatten());
        let mut leaves: Vec<&Rc<Leaf>> = Vec::new();
        for edge in once(edge).chain(edges) {
            if let Edge::Leaf(leaf) = edge
                && leaf.input.is_some()
                && !leaves.iter().any(|known| Rc::ptr_eq(known, leaf))
            {
                leaves.push(leaf);
            }
        }
        leaves
            .iter()
            .filter_map(|leaf| leaf.input.clone())
            .collect()
    }

    /// The nodes that these lead to, counted, and which of them lead to the leaves. With `towards`, nodes that a pass
    /// reached on its way to an input are left aside.
    fn reached<'a>(
        &self,
        roots: impl IntoIterator<Item = &'a Rc<Node>>,
        leaves: &[Rc<Leaf>],
        keeps: bool,
        towards: Option<u32>,
    ) -> Reached {
        let pass = self.next_pass();
        let mut nodes: Vec<Rc<Node>> = Vec::new();
        let visit = |node: &Rc<Node>| {
            let new = node.pass.replace(pass) != pass;
            if new {
                node.dependencies.set(0);
            }
            new.then(|| Rc::clone(node))
        };
        let roots: Vec<&Rc<Node>> = roots.into_iter().collect();
        let mut stack: Vec<Rc<Node>> = roots.iter().filter_map(|node| visit(node)).collect();
        while let Some(node) = stack.pop() {
            for edge in node.edges.iter().flatten() {
                if let Edge::Node(next, _) = edge
                    && towards != Some(next.towards_input.get())
                {
                    stack.extend(visit(next));
                }
            }
            nodes.push(node);
        }
        nodes.sort_unstable_by_key(|node| node.seq);
        let wanted = Wanted {
            pass,
            leaves,
            retains: keeps,
        };
        for node in &nodes {
            let mut leads = false;
            for edge in node.edges.iter().flatten().filter(|edge| wanted.has(edge)) {
                leads = true;
                match edge {
                    Edge::Node(next, _) => next.dependencies.set(next.dependencies.get() + 1),
                    Edge::Leaf(leaf) => leaf.expect(pass),
                    Edge::Redirected(_) => {}
                }
            }
            if leads {
                node.needed.set(pass);
            }
        }
        Reached { pass, nodes }
    }

    /// Runs the nodes that lead to the `wanted` leaves or nodes; `before` sees each with its gradients first.
    fn run_wanted(
        &self,
        roots: impl IntoIterator<Item = Root>,
        wanted: &Wanted,
        before: &mut dyn FnMut(&Rc<Node>, &Grads),
    ) {
        let mut ready = BinaryHeap::new();
        let mut begun: Vec<Rc<Node>> = Vec::new();
        for Root { node, nr, gradient } in roots {
            node.receive(self, nr, gradient);
            if !begun.iter().any(|other| Rc::ptr_eq(other, &node)) {
                begun.push(node);
            }
        }
        let free = begun
            .into_iter()
            .filter(|node| node.needed.get() == wanted.pass && node.dependencies.get() == 0);
        ready.extend(free.map(Ready));
        while let Some(Ready(node)) = ready.pop() {
            self.recorder.set_scope(node.scope);
            self.on_stream(node.stream, || {
                self.run_one(&node, wanted, before, &mut ready);
            });
        }
    }

    fn run_one(
        &self,
        node: &Rc<Node>,
        wanted: &Wanted,
        before: &mut dyn FnMut(&Rc<Node>, &Grads),
        ready: &mut BinaryHeap<Ready>,
    ) {
        let mut incoming: Grads = std::mem::take(&mut *node.buffer.borrow_mut());
        before(node, &incoming);
        let asked: AskedInputs = (node.edges.iter())
            .map(|edge| edge.as_ref().is_some_and(|edge| wanted.has(edge)))
            .collect();
        let outer = self.asked.replace(Some(asked.clone()));
        let mut backward = node.backward.borrow_mut().take();
        let outgoing = (backward.as_ref()).map(|backward| backward(self, &incoming));
        let mut outgoing = outgoing.unwrap_or_default();
        self.asked.replace(outer);
        if node.is_function && self.backend.functions_release_gradients {
            incoming.clear();
        }
        let inputs = node.inputs.iter().zip(&asked);
        for (grad, ((shape, dtype), &asked)) in outgoing.iter_mut().zip(inputs) {
            *grad = grad
                .take()
                .filter(|_| asked)
                .map(|full| self.validated(full, shape, *dtype));
        }
        drop(incoming);
        if wanted.retains {
            node.backward.replace(backward.take());
        }
        if let Some(backward) = backward {
            node.release(backward);
        }
        let edges = node.edges.iter().zip(outgoing);
        for (edge, grad) in edges.filter_map(|(edge, grad)| Some((edge.as_ref()?, grad))) {
            if !wanted.has(edge) {
                continue;
            }
            match edge {
                Edge::Node(next, nr) => {
                    if let Some(grad) = grad {
                        next.receive(self, *nr, grad);
                    }
                    next.dependencies.set(next.dependencies.get() - 1);
                    if next.dependencies.get() == 0 {
                        ready.push(Ready(Rc::clone(next)));
                    }
                }
                Edge::Leaf(leaf) => {
                    leaf.receive(self, grad);
                }
                Edge::Redirected(_) => {}
            }
        }
    }
}

/// Nodes, in the order in which they were made.
struct Reached {
    pass: u32,
    nodes: Vec<Rc<Node>>,
}

/// `get_param_groups`: parameters, in their order, with the nodes at which their paths leave the paths to the input.
fn parameter_groups(reached: &Reached, parameters: &[Tensor]) -> Vec<ParameterGroup> {
    let pass = reached.pass;
    // Which nodes each leaf hangs on.
    let mut found: Vec<(Rc<Leaf>, Vec<Rc<Node>>)> = (parameters.iter())
        .filter_map(|parameter| match parameter.resolved_edge()? {
            Edge::Leaf(leaf) => Some((leaf, Vec::new())),
            _ => None,
        })
        .collect();
    let on_path = |node: &Node| node.towards_input.get() == pass;
    let mut places: Vec<(*const Leaf, usize)> = (found.iter().enumerate())
        .map(|(i, (leaf, _))| (Rc::as_ptr(leaf), i))
        .collect();
    places.sort_unstable();
    for node in reached.nodes.iter().filter(|node| on_path(node)) {
        let mut edges: Vec<Edge> = node.edges.iter().flatten().cloned().collect();
        while let Some(edge) = edges.pop() {
            match edge {
                Edge::Node(next, _) if !on_path(&next) => {
                    edges.extend(next.edges.iter().flatten().cloned());
                }
                Edge::Leaf(leaf) => {
                    let leaf = Rc::as_ptr(&leaf);
                    let at = places.binary_search_by(|(other, _)| other.cmp(&leaf));
                    if let Some((_, i)) = at.ok().and_then(|at| places.get(at))
                        && !found[*i].1.iter().any(|other| Rc::ptr_eq(other, node))
                    {
                        found[*i].1.push(Rc::clone(node));
                    }
                }
                _ => {}
            }
        }
    }
    let mut groups: Vec<ParameterGroup> = Vec::new();
    for (leaf, nodes) in found.into_iter().filter(|(_, nodes)| !nodes.is_empty()) {
        let shares = |group: &ParameterGroup| {
            let own = |at: &Rc<Node>| nodes.iter().any(|node| Rc::ptr_eq(node, at));
            group.intermediates.iter().any(|(at, _)| own(at))
        };
        let Some(group) = groups.iter_mut().find(|group| shares(group)) else {
            let intermediates = nodes.into_iter().map(|node| (node, Grads::new()));
            groups.push(ParameterGroup {
                parameters: vec![leaf],
                intermediates: intermediates.collect(),
                pass,
            });
            continue;
        };
        group.parameters.push(leaf);
        for node in nodes {
            if !group
                .intermediates
                .iter()
                .any(|(at, _)| Rc::ptr_eq(at, &node))
            {
                group.intermediates.push((node, Grads::new()));
            }
        }
    }
    groups
}
