"""Models that their authors publish as a file of code, written after it."""
import math
import torch, torch.nn as nn, torch.nn.functional as F
from torch._subclasses.fake_tensor import unset_fake_temporarily


class Conditioned(nn.Module):
    """SDXL's UNet with its conditions as inputs of their own."""
    def __init__(self, unet):
        super().__init__()
        self.unet = unet

    def forward(self, sample, timestep, encoder_hidden_states, text_embeds, time_ids):
        conditions = {"text_embeds": text_embeds, "time_ids": time_ids}
        return self.unet(sample, timestep, encoder_hidden_states, added_cond_kwargs=conditions, return_dict=False)[0]


class OfOneShape(nn.Module):
    """Qwen-Image with images of one shape, in latent patches."""
    def __init__(self, transformer, shape):
        super().__init__()
        # Its rotations are no buffers: an export takes them as constants, which have to have values.
        with unset_fake_temporarily():
            transformer.pos_embed = type(transformer.pos_embed)(theta=10000, axes_dim=[16, 56, 56], scale_rope=True)
        self.transformer, self.shape = transformer, shape

    def forward(self, hidden_states, encoder_hidden_states, encoder_hidden_states_mask, timestep):
        shapes = [[self.shape]]  # the first is taken for all
        return self.transformer(hidden_states, encoder_hidden_states, encoder_hidden_states_mask, timestep, shapes, return_dict=False)[0]


class OfOneLength(nn.Module):
    """A Conformer over samples of one length."""
    def __init__(self, conformer):
        super().__init__()
        self.conformer = conformer

    def forward(self, x):
        x = x.transpose(0, 1)
        for layer in self.conformer.conformer_layers:
            x = layer(x, None)
        return x.transpose(0, 1)


# ---- nanoGPT (model.py) ----------------------------------------------------------------------------------------------
class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.resid_dropout, self.heads = nn.Dropout(0.0), heads

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (y.view(B, T, self.heads, C // self.heads).transpose(1, 2) for y in self.c_attn(x).split(C, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0, is_causal=True)
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C)))


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc, self.gelu, self.c_proj = nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(width), SelfAttention(width, heads)
        self.ln_2, self.mlp = nn.LayerNorm(width), Mlp(width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """GPT-2 with a vocabulary of 50,304; embedding and head are one matrix."""
    def __init__(self, layers=12, heads=12, width=768, vocabulary=50304, context=1024):
        super().__init__()
        self.wte, self.wpe, self.drop = nn.Embedding(vocabulary, width), nn.Embedding(context, width), nn.Dropout(0.0)
        self.h = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, idx, targets):
        pos = torch.arange(0, idx.size(1), dtype=torch.long, device=idx.device)
        x = self.drop(self.wte(idx) + self.wpe(pos))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


# ---- pytorch/examples --------------------------------------------------------------------------------------------------
class LstmLm(nn.Module):
    """word_language_model's large LSTM over WikiText-2, tied (--emsize 1500 --nhid 1500 --dropout 0.65 --tied)"""
    def __init__(self, vocabulary=33278, width=1500, layers=2, dropout=0.65):
        super().__init__()
        self.drop, self.encoder = nn.Dropout(dropout), nn.Embedding(vocabulary, width)
        self.rnn, self.decoder = nn.LSTM(width, width, layers, dropout=dropout), nn.Linear(width, vocabulary)
        self.decoder.weight = self.encoder.weight
        self.vocabulary = vocabulary

    def forward(self, data, targets):
        output, _ = self.rnn(self.drop(self.encoder(data.t())))
        decoded = self.decoder(self.drop(output)).view(-1, self.vocabulary)
        return F.nll_loss(F.log_softmax(decoded, dim=1), targets.t().reshape(-1))


def generator(nz=100, ngf=64, nc=3):
    up = lambda i, o, *how: (nn.ConvTranspose2d(i, o, 4, *how, bias=False), nn.BatchNorm2d(o), nn.ReLU(True))
    return nn.Sequential(*up(nz, ngf * 8, 1, 0), *up(ngf * 8, ngf * 4, 2, 1), *up(ngf * 4, ngf * 2, 2, 1), *up(ngf * 2, ngf, 2, 1),
                         nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False), nn.Tanh())


def discriminator(nc=3, ndf=64):
    down = lambda i, o: (nn.Conv2d(i, o, 4, 2, 1, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.2, inplace=True))
    return nn.Sequential(nn.Conv2d(nc, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True), *down(ndf, ndf * 2),
                         *down(ndf * 2, ndf * 4), *down(ndf * 4, ndf * 8), nn.Conv2d(ndf * 8, 1, 4, 1, 0, bias=False), nn.Sigmoid())


# ---- Pytorch-UNet ------------------------------------------------------------------------------------------------------
def double(i, o):
    conv = lambda i, o: (nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))
    return nn.Sequential(*conv(i, o), *conv(o, o))


class UNet(nn.Module):
    def __init__(self, classes, widths=(64, 128, 256, 512, 1024)):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.inc = double(3, widths[0])
        self.down = nn.ModuleList([nn.Sequential(nn.MaxPool2d(2), double(a, b)) for a, b in pairs])
        self.up = nn.ModuleList([nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in reversed(pairs)])
        self.conv = nn.ModuleList([double(b, a) for a, b in reversed(pairs)])
        self.outc = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        kept = [self.inc(x)]
        for down in self.down:
            kept.append(down(kept[-1]))
        x = kept.pop()
        for up, conv in zip(self.up, self.conv):
            x = conv(torch.cat([kept.pop(), up(x)], dim=1))
        return self.outc(x)


# ---- points, graphs, recommendations ------------------------------------------------------------------------------------
class TNet(nn.Module):
    """PointNet's transformation of its inputs, or of its features"""
    def __init__(self, k):
        super().__init__()
        conv = lambda i, o: (nn.Conv1d(i, o, 1), nn.BatchNorm1d(o), nn.ReLU())
        full = lambda i, o: (nn.Linear(i, o), nn.BatchNorm1d(o), nn.ReLU())
        self.each = nn.Sequential(*conv(k, 64), *conv(64, 128), *conv(128, 1024))
        self.all, self.k = nn.Sequential(*full(1024, 512), *full(512, 256), nn.Linear(256, k * k)), k

    def forward(self, x):
        x = self.all(torch.max(self.each(x), 2)[0])
        return x.view(-1, self.k, self.k) + torch.eye(self.k, device=x.device, dtype=x.dtype)


class PointNet(nn.Module):
    def __init__(self, classes=40):
        super().__init__()
        conv = lambda i, o: (nn.Conv1d(i, o, 1), nn.BatchNorm1d(o))
        self.stn, self.fstn = TNet(3), TNet(64)
        self.first = nn.Sequential(*conv(3, 64), nn.ReLU())
        self.rest = nn.Sequential(*conv(64, 128), nn.ReLU(), *conv(128, 1024))
        self.head = nn.Sequential(nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 256), nn.Dropout(0.4),
                                  nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, classes))

    def forward(self, x):
        x = self.first(torch.bmm(x.transpose(2, 1), self.stn(x)).transpose(2, 1))
        x = torch.bmm(x.transpose(2, 1), self.fstn(x)).transpose(2, 1)
        return F.log_softmax(self.head(torch.max(self.rest(x), 2)[0]), dim=1)


class Gcn(nn.Module):
    """Two graph convolutions over a dense adjacency matrix"""
    def __init__(self, features=1433, hidden=16, classes=7):
        super().__init__()
        self.w1, self.b1 = nn.Parameter(torch.zeros(features, hidden)), nn.Parameter(torch.zeros(hidden))
        self.w2, self.b2 = nn.Parameter(torch.zeros(hidden, classes)), nn.Parameter(torch.zeros(classes))

    def forward(self, x, adjacency):
        x = F.relu(torch.mm(adjacency, torch.mm(x, self.w1)) + self.b1)
        x = F.dropout(x, 0.5, training=self.training)
        return F.log_softmax(torch.mm(adjacency, torch.mm(x, self.w2)) + self.b2, dim=1)


# Rows of the tables that Criteo Kaggle's preprocessing leaves.
KAGGLE = (1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10, 5652, 2173, 4,
          7046547, 18, 15, 286181, 105, 142572)


class Dlrm(nn.Module):
    """One index a table, so that a bag of embeddings is an embedding; with dense gradients.
    --arch-sparse-feature-size=16 --arch-mlp-bot="13-512-256-64-16" --arch-mlp-top="512-256-1" """
    def __init__(self, rows=KAGGLE, width=16):
        super().__init__()
        full = lambda *sizes: [m for i, o in zip(sizes, sizes[1:]) for m in (nn.Linear(i, o), nn.ReLU())]
        self.tables = nn.ModuleList([nn.Embedding(n, width) for n in rows])
        pairs = (len(rows) + 1) * len(rows) // 2
        self.bottom = nn.Sequential(*full(13, 512, 256, 64, width))
        self.top = nn.Sequential(*full(width + pairs, 512, 256, 1)[:-1], nn.Sigmoid())

    def forward(self, dense, sparse, targets):
        x = self.bottom(dense)
        each = torch.stack([x] + [table(sparse[:, at]) for at, table in enumerate(self.tables)], dim=1)
        products = torch.bmm(each, each.transpose(1, 2))
        i, j = torch.tril_indices(each.shape[1], each.shape[1], -1, device=x.device)
        return F.binary_cross_entropy(self.top(torch.cat([x, products[:, i, j]], dim=1)).squeeze(1), targets)
