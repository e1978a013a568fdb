"""Trains the model on turns.jsonl.gz and scores tests.jsonl.gz. Needs torch; minutes on an accelerator, hours without.

usage: train.py <folder with both files> <out folder>

At every word of a turn: is the turn over here? An error counts as much as a caller is likely to pause at that word. While training, a
second task is the next word. A large transformer learns first and teaches the small GRU that is shipped.
"""
import collections
import gzip
import json
import random
import sys
import time
from multiprocessing import Pool

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from corpora import CORPORA
from words import ALL_HESITATIONS, HESITATIONS, MAX_ASKED, tokens

BUCKETS, PIECES, STEPS, NEXT_WORDS = 24576, 12, 64, 12000
BATCH, COPIES = 512, 5
DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'
WEIGHT = {name: weight for name, (_, weight, _) in CORPORA.items()} | {'patterns': 0.5}
LANGUAGES = list(HESITATIONS)


def fnv(text):
    value = 2166136261
    for code in map(ord, text):
        value = ((value ^ code) * 16777619) & 0xFFFFFFFF
    return value


def buckets(token):
    """Rows of the table: the word, then its pieces of three letters and its ending."""
    if token[0] == '<':
        return [fnv(token) % BUCKETS]
    framed = '^' + token + '$'
    pieces = [framed[i:i + 3] for i in range(len(framed) - 2)]
    if len(token) > 3:
        pieces.append(framed[-5:])
    if len(pieces) > PIECES:
        pieces = pieces[:4] + pieces[-(PIECES - 4):]
    return [fnv('=' + token) % BUCKETS] + [fnv(piece) % BUCKETS for piece in pieces]


class Vocabulary:
    """Only for training: the model knows pieces, but batches carry one number a word."""

    def __init__(self, rows, tests):
        count = collections.Counter([f'<{language}>' for language in LANGUAGES] + list(ALL_HESITATIONS))
        for row in rows:
            if row['s'] == 'train':
                count.update(tokens(row['w'].split()) + tokens(row['a'].split()))
        self.types = [word for word, _ in count.most_common()]
        known = set(self.types)
        for text in [row[key] for row in rows if row['s'] != 'train' for key in 'wa'] + [row[key] for row in tests for key in 'ta']:
            for word in tokens(text.split()):
                if word not in known:
                    known.add(word)
                    self.types.append(word)
        self.index = {word: i + 1 for i, word in enumerate(self.types)}
        self.features = np.full((len(self.types) + 1, PIECES + 1), BUCKETS, np.int64)
        for word, i in self.index.items():
            rows_of_word = buckets(word)
            self.features[i, :len(rows_of_word)] = rows_of_word


def encode(row, vocabulary, rnd, varied):
    """(word numbers, label at each, weight at each). `varied`: with inserted hesitations, lost and wrong words, without what was asked."""
    index, types = vocabulary.index, vocabulary.types
    language, words, marks = row['l'], row['w'].split(), [int(mark) for mark in row['m']]
    steps, labels, weights = [], [], []
    hesitate_at = rnd.randint(0, len(words) - 1) if varied and len(words) > 2 and rnd.random() < 0.18 else -1
    for i, word in enumerate(words):
        last = i == len(words) - 1
        if varied and rnd.random() < 0.02 and len(words) > 3 and not last:
            if rnd.random() < 0.5:
                continue
            word = types[min(len(types) - 1, int(rnd.random() ** 2 * 8000))]
        beside_hesitation = word in ALL_HESITATIONS or (not last and words[i + 1] in ALL_HESITATIONS) or hesitate_at == i + 1
        parts = tokens([word])
        for j, part in enumerate(parts):
            end = last and j == len(parts) - 1
            steps.append(part)
            labels.append(1 if end else 0)
            if j < len(parts) - 1:
                weights.append((0.5 if len(parts) >= 5 else 0.1) if j else 0.0)
            else:
                weights.append(1.0 if end else 0.6 if beside_hesitation else 0.5 if marks[i] else 0.25)
        if hesitate_at == i and not last:
            steps.append(rnd.choice(HESITATIONS[language]))
            labels.append(0)
            weights.append(0.6)
    if varied and rnd.random() < 0.06:
        steps.append(rnd.choice(HESITATIONS[language]))
        labels.append(0)
        weights.append(0.6)
    asked = tokens(row['a'].split())[-MAX_ASKED:]
    if varied and rnd.random() < 0.25:
        asked = []
    most = STEPS - 1 - MAX_ASKED
    if len(steps) > most:
        keep = slice(0, most) if varied and rnd.random() < 0.4 else slice(-most, None)
        steps, labels, weights = steps[keep], labels[keep], weights[keep]
    lead = len(asked) + 1
    sequence = [index[word] for word in asked] + [index[f'<{language}>']] + [index.get(step, 0) for step in steps]
    return sequence, [0] * lead + labels, [0.0] * lead + [weight * WEIGHT[row['c']] for weight in weights]


def pack(rows, seed, varied):
    rnd, count = random.Random(seed), len(rows)
    words, labels = np.zeros((count, STEPS), np.int32), np.zeros((count, STEPS), np.uint8)
    weights, lengths = np.zeros((count, STEPS), np.float32), np.zeros(count, np.int32)
    for i, row in enumerate(rows):
        sequence, label, weight = encode(row, VOCABULARY, rnd, varied)
        lengths[i] = len(sequence)
        words[i, :len(sequence)], labels[i, :len(sequence)], weights[i, :len(sequence)] = sequence, label, weight
    return words, labels, weights, lengths


def pack_job(args):
    return pack(*args)


def on_device(packed):
    words, labels, weights, lengths = packed
    return torch.tensor(words.astype(np.int64), device=DEVICE), torch.tensor(labels, device=DEVICE).float(), torch.tensor(weights, device=DEVICE), lengths


class Model(nn.Module):
    def __init__(self, kind, dims, hidden, layers, dropout=0.2):
        super().__init__()
        self.kind = kind
        self.table = nn.Embedding(BUCKETS + 1, dims, padding_idx=BUCKETS)
        nn.init.normal_(self.table.weight, std=0.1)
        with torch.no_grad():
            self.table.weight[BUCKETS] = 0
        if kind == 'gru':
            self.gru = nn.GRU(dims, hidden, layers, batch_first=True)
        else:
            self.into = nn.Linear(dims, hidden)
            self.place = nn.Parameter(torch.randn(STEPS, hidden) * 0.02)
            layer = nn.TransformerEncoderLayer(hidden, hidden // 32, hidden * 4, 0.1, F.gelu, batch_first=True, norm_first=True)
            self.transformer = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(hidden, 48)
        self.end = nn.Linear(48, 1)
        self.next_word = nn.Linear(hidden, NEXT_WORDS)
        self.dropout = nn.Dropout(dropout)

    def states(self, words):
        rows = FEATURES[words]
        embedded = self.table(rows)
        pieces = (rows[..., 1:] != BUCKETS).sum(-1, keepdim=True).clamp(min=1)
        steps = self.dropout(embedded[..., 0, :] + embedded[..., 1:, :].sum(-2) / pieces)
        if self.kind == 'gru':
            return self.dropout(self.gru(steps)[0])
        length = words.shape[1]
        mask = torch.triu(torch.full((length, length), float('-inf'), device=words.device), 1)
        return self.dropout(self.transformer(self.into(steps) + self.place[:length], mask=mask))

    def log_odds(self, states):
        return self.end(F.relu(self.head(states))).squeeze(-1)


def loss_of(model, words, labels, weights, learns_next):
    with torch.autocast(DEVICE, torch.bfloat16, enabled=model.kind == 'transformer' and DEVICE == 'cuda'):
        states = model.states(words)
        scores = model.log_odds(states)
    loss = (F.binary_cross_entropy_with_logits(scores.float(), labels, reduction='none') * weights).sum() / weights.sum().clamp(min=1)
    if learns_next:
        following = words[:, 1:]
        known = (following > 0) & (following < NEXT_WORDS)
        loss = loss + 0.2 * F.cross_entropy(model.next_word(states[:, :-1][known]).float(), following[known])
    return loss


@torch.no_grad()
def dev_loss(model, dev):
    model.eval()
    words, labels, weights, _ = dev
    total = count = 0.0
    for i in range(0, len(words), 2048):
        part = weights[i:i + 2048]
        scores = model.log_odds(model.states(words[i:i + 2048]))
        total += (F.binary_cross_entropy_with_logits(scores.float(), labels[i:i + 2048], reduction='none') * part).sum().item()
        count += part.sum().item()
    return total / count


def fit(name, model, copies, dev, epochs, rate, taught=None):
    """Keeps the epoch with the lowest loss on the dev part."""
    model.to(DEVICE)
    count = len(copies[0][3])
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=epochs * (count // BATCH) + 10, pct_start=0.1)
    rng, best, begin = np.random.default_rng(5), None, time.time()
    for epoch in range(epochs):
        copy = epoch % len(copies)
        words, labels, weights, lengths = copies[copy]
        model.train()
        order = np.argsort(lengths + rng.random(count) * 4)
        batches = [order[i:i + BATCH] for i in range(0, count - BATCH + 1, BATCH)]
        rng.shuffle(batches)
        for batch in batches:
            longest, chosen = int(lengths[batch].max()), torch.as_tensor(batch, device=DEVICE)
            target = labels[chosen, :longest]
            if taught is not None:
                target = 0.35 * target + 0.65 * taught[copy][chosen, :longest].float()
            loss = loss_of(model, words[chosen, :longest], target, weights[chosen, :longest], True)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        lost = dev_loss(model, dev)
        print(name, 'epoch', epoch, 'dev', round(lost, 4), round(time.time() - begin), 's', flush=True)
        if best is None or lost < best[0]:
            best = lost, {key: value.detach().clone() for key, value in model.state_dict().items()}
    model.load_state_dict(best[1])
    return best[0]


@torch.no_grad()
def opinions(model, copies):
    """What the teacher thinks of every word it has learned from."""
    model.eval()
    return [torch.cat([torch.sigmoid(model.log_odds(model.states(words[i:i + 2048]))).half() for i in range(0, len(words), 2048)])
            for words, _, _, _ in copies]


@torch.no_grad()
def score(model, tests, with_asked):
    rows = [{'l': row['l'], 'w': row['t'], 'm': '0' * len(row['t'].split()), 'a': row['a'] if with_asked else '', 'c': row['c']} for row in tests]
    words, _, _, lengths = on_device(pack(rows, 0, False))
    last = torch.tensor(lengths - 1, device=DEVICE).long()
    model.eval()
    parts = []
    for i in range(0, len(words), 4096):
        parts.append(model.log_odds(model.states(words[i:i + 4096])).gather(1, last[i:i + 4096, None])[:, 0])
    return torch.cat(parts).float().cpu().numpy()


def auc(ends, pauses):
    scores = np.concatenate([ends, pauses])
    ranks = np.empty(len(scores))
    ranks[scores.argsort(kind='stable')] = np.arange(1, len(scores) + 1)
    return (ranks[:len(ends)].sum() - len(ends) * (len(ends) + 1) / 2) / (len(ends) * len(pauses))


def summary(tests, scores):
    groups, ends = np.array([row['c'] + '/' + row['l'] for row in tests]), np.array([row['k'] == 'end' for row in tests])
    return {group: round(float(auc(scores[(groups == group) & ends], scores[(groups == group) & ~ends])), 3)
            for group in sorted(set(groups)) if (groups == group).sum() > 100}


def read(path):
    with gzip.open(path, 'rt') as file:
        return [json.loads(line) for line in file]


def main(out):
    begin = time.time()
    train = [row for row in ROWS if row['s'] == 'train']
    dev_rows = [row for row in ROWS if row['s'] == 'dev']
    if DEVICE == 'cpu':
        train, dev_rows = train[::200], dev_rows[::40]
    with Pool(COPIES + 1) as pool:
        packed = pool.map(pack_job, [(train, 100 + i, True) for i in range(COPIES)] + [(dev_rows, 1, False)], chunksize=1)
    *copies, dev = [on_device(part) for part in packed]
    print('types', len(VOCABULARY.types), 'turns', len(train), round(time.time() - begin), 's', flush=True)
    torch.manual_seed(3)
    teacher = Model('transformer', 256, 384, 6)
    lost = fit('teacher', teacher, copies, dev, 8, 5e-4)
    results = {'teacher': {'dev': lost, 'auc': summary(TESTS, score(teacher, TESTS, True))}}
    print(json.dumps(results), flush=True)
    taught = opinions(teacher, copies)
    torch.manual_seed(3)
    student = Model('gru', 128, 192, 1)
    lost = fit('student', student, copies, dev, 20, 3e-3, taught)
    scores = score(student, TESTS, True)
    results['student'] = {'dev': lost, 'auc': summary(TESTS, scores), 'auc without what was asked': summary(TESTS, score(student, TESTS, False))}
    print(json.dumps(results['student']), flush=True)
    torch.save({key: value.half().cpu() for key, value in student.state_dict().items() if not key.startswith('next_word')}, f'{out}/student.pt')
    np.savez_compressed(f'{out}/scores.npz', student=scores.astype(np.float16))
    with open(f'{out}/results.json', 'w') as file:
        json.dump(results, file, indent=1)


if __name__ == '__main__':
    ROWS, TESTS = read(sys.argv[1] + '/turns.jsonl.gz'), read(sys.argv[1] + '/tests.jsonl.gz')
    VOCABULARY = Vocabulary(ROWS, TESTS)
    FEATURES = torch.tensor(VOCABULARY.features, device=DEVICE)
    main(sys.argv[2])
