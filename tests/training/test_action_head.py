from __future__ import annotations

import numpy as np
import torch

from broodmind.envs.core.actions import ActionTable, Verb
from broodmind.training.action_head import CENTRES, ActionHead, action_basis

TABLE = ActionTable(
    (
        Verb("PASS", 1, "nothing"),
        Verb("CELL", 9, "a cell", str, lambda index: ((index % 3 - 1) / 4, (index // 3 - 1) / 4)),
        Verb("UNIT", 4, "a unit", str),
    )
)


def test_every_verb_has_its_own_functions():
    basis = action_basis(TABLE)
    smooth = 6 + CENTRES * CENTRES
    assert basis.shape == (14, 1 + smooth + 1)
    assert basis[0].tolist() == [1.0] + [0.0] * (smooth + 1)
    assert (basis[10:, -1] == 1.0).all()
    assert (basis[10:, :-1] == 0.0).all()
    assert (basis[1:10, 0] == 0.0).all()


def test_neighbouring_cells_are_more_alike_than_distant_ones():
    cells = action_basis(TABLE)[1:10, 7:-1]
    near = np.linalg.norm(cells[0] - cells[1])
    far = np.linalg.norm(cells[0] - cells[8])
    assert near < far


def test_plain_weights_compute_the_same():
    torch.manual_seed(0)
    head = ActionHead(torch.nn.Linear(8, TABLE.size), action_basis(TABLE))
    torch.nn.init.normal_(head.shared.weight)
    torch.nn.init.normal_(head.shared.bias)
    hidden = torch.randn(5, 8)
    weight, bias = head.plain()
    assert torch.allclose(head(hidden), torch.nn.functional.linear(hidden, weight, bias))
    own = torch.nn.functional.linear(hidden, head.own.weight, head.own.bias)
    shared = torch.nn.functional.linear(hidden, head.shared.weight, head.shared.bias)
    assert torch.allclose(head(hidden), own + shared @ head.basis.T, atol=1e-5)


def test_what_is_learned_of_a_cell_holds_for_its_neighbour():
    torch.manual_seed(0)
    head = ActionHead(torch.nn.Linear(4, TABLE.size), action_basis(TABLE))
    hidden = torch.ones(1, 4)
    before = head(hidden)[0].detach()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
    (-head(hidden)[0, 1]).backward()
    optimizer.step()
    gain = head(hidden)[0].detach() - before
    assert gain[1] > gain[2] > 0.0
    assert gain[10:].abs().max() < 1e-6
