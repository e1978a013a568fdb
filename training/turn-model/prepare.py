"""Writes turns.jsonl.gz (what is trained on) and tests.jsonl.gz (whole turns, and prefixes where a caller may pause).

usage: prepare.py <folder with the clones> <out folder>

A line of turns: c corpus, l language, s split, a asked, w words, m the mark after each word.
A line of tests: c, l, a, k kind, t text so far. Kinds: end; hes (beside a hesitation that was said, or after a function word); clause (at a
mark or before a conjunction); rand (any other place); digit (inside a number).
"""
import collections
import gzip
import hashlib
import json
import random
import re
import sys

import answers
from corpora import CORPORA, HELD, Repositories
from words import ALL_HESITATIONS, question, split

PATTERNS = {'de': 12000, 'en': 6000, 'es': 9000, 'fr': 9000, 'it': 9000}
TESTS = 1500

FUNCTION_WORDS = {
    'en': 'a an the and or but if because to of in at by for from with about into my your our their his is are was were be been i we they has have '
          'had would could should can do does than as this that these those which',
    'de': 'der die das den dem des ein eine einen einem einer und oder aber weil dass wenn denn sondern als bis mit von vom zum zur im am beim für '
          'bei in an auf gegen zwischen seit ohne durch nach über unter um mein meine meinen unser unsere ihre dieser diese diesen ist sind war '
          'ich wir sie es er hat haben habe kann könnte würde möchte will muss',
    'es': 'el la los las un una de del a al y o pero porque que si como para por con sin en entre sobre mi mis su sus es son está yo he ha quiero '
          'quisiera tengo',
    'fr': 'le la les un une des du de à au aux et ou mais que qui si comme pour par avec sans dans sur mon ma mes votre vos est sont je il elle on '
          "nous vous j'ai c'est ai avons veux voudrais dois",
    'it': 'il lo la i gli le un uno una di del della dei a al alla in nel nella con su per tra e o ma che se perché come mio mia suo sua è sono io '
          'ho ha vorrei devo',
}
CONJUNCTIONS = {
    'en': 'and or but because so if when which that then', 'de': 'und oder aber weil dass wenn denn sondern ob damit dann',
    'es': 'y o pero porque que si cuando entonces', 'fr': 'et ou mais que qui si quand donc', 'it': 'e o ma perché che se quando allora',
}


def split_of(dialogue):
    part = int(hashlib.md5(dialogue.encode()).hexdigest(), 16) % 100
    return 'test' if part < 5 else 'dev' if part < 8 else 'train'


def turn(corpus, language, part, asked, text):
    words, marks = split(text)
    if not 1 <= len(words) <= 80:
        return None
    marks[-1] = 0
    return {'c': corpus, 'l': language, 's': part, 'a': ' '.join(question(asked or '')), 'w': ' '.join(words),
            'm': ''.join(map(str, marks))}


def all_turns(repos):
    seen = set()
    for corpus, (reader, weight, most) in CORPORA.items():
        by_language = collections.defaultdict(list)
        for language, part, dialogue, asked, text in reader(repos):
            row = turn(corpus, language, part or split_of(corpus + dialogue), asked, text)
            if row and (language, row['w']) not in seen:
                # A short answer counts as often as it is given; a sentence counts once.
                if len(row['w'].split()) > 2 or not weight:
                    seen.add((language, row['w']))
                by_language[language].append(row)
        for language, rows in by_language.items():
            random.Random(5).shuffle(rows)
            yield from rows[:most]
    for language, count in PATTERNS.items():
        for asked, text in answers.turns(language, count, 9):
            yield turn('patterns', language, 'train', asked, text)


def tests_of(row, rnd):
    words, marks, language = row['w'].split(), row['m'], row['l']
    if words[-1] in ALL_HESITATIONS:
        return
    yield 'end', words
    for place, word in enumerate(words):
        if re.fullmatch(r'\d{5,}', word):
            yield 'digit', words[:place] + [word[:rnd.randint(2, len(word) - 2)]]
            break
    if len(words) < 3:
        return
    function_words, conjunctions = FUNCTION_WORDS[language].split(), CONJUNCTIONS[language].split()
    inner = range(len(words) - 1)
    said = [i for i in inner if words[i] in ALL_HESITATIONS or (words[i + 1] in ALL_HESITATIONS and i + 2 < len(words))]
    hesitations = said or [i for i in inner if words[i] in function_words]
    clauses = [i for i in inner if i not in said and (marks[i] in '12' or (words[i + 1] in conjunctions and words[i] not in function_words))]
    used = set()
    for kind, places in (('hes', hesitations), ('clause', clauses), ('rand', list(inner))):
        places = [i for i in places if i not in used]
        if places:
            place = rnd.choice(places)
            used.add(place)
            yield kind, words[:place + 1]


def main(clones, out):
    counts, tests = collections.Counter(), collections.defaultdict(list)
    with gzip.open(f'{out}/turns.jsonl.gz', 'wt') as file:
        for row in all_turns(Repositories(clones)):
            counts[row['c'], row['l'], row['s']] += 1
            if row['s'] in ('test', HELD):
                tests[row['c'], row['l']].append(row)
            if row['s'] != HELD:
                file.write(json.dumps(row, ensure_ascii=False) + '\n')
    rnd = random.Random(11)
    with gzip.open(f'{out}/tests.jsonl.gz', 'wt') as file:
        for (corpus, language), rows in sorted(tests.items()):
            rnd.shuffle(rows)
            for row in rows[:TESTS * 2 if corpus == 'sgd' else TESTS]:
                for kind, words in tests_of(row, rnd):
                    counts['tests ' + corpus, language, kind] += 1
                    file.write(json.dumps({'c': corpus, 'l': language, 'a': row['a'], 'k': kind, 't': ' '.join(words)}, ensure_ascii=False) + '\n')
    for key, count in sorted(counts.items()):
        print(*key, count)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
