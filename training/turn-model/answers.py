"""Callers' turns from patterns of our own (answers/*.txt): no corpus holds short answers on the telephone in most languages.

A file has slots (`@day monday | tuesday`) and patterns. Slots nest. `?question` before a pattern says what the assistant asked, for all
patterns that follow; an empty `?` ends it. `#` numbers: {2-9}, {digits 5-9}.
"""
import pathlib
import random
import re

FOLDER = pathlib.Path(__file__).parent / 'answers'


def turns(language, count, seed):
    """Yields (asked, text) `count` times."""
    slots, patterns, asked = {}, [], ''
    for line in (FOLDER / f'{language}.txt').read_text('utf8').splitlines():
        line = line.strip()
        if line.startswith('@'):
            name, _, values = line[1:].partition(' ')
            slots[name] = [value.strip() for value in values.split('|')]
        elif line.startswith('?'):
            asked = line[1:].strip()
        elif line and not line.startswith('#'):
            patterns.append((asked, line))
    rnd = random.Random(seed)

    def value(match):
        name = match.group(1)
        if name in slots:
            return rnd.choice(slots[name])
        digits = re.fullmatch(r'digits (\d+)-(\d+)', name)
        if digits:
            return ''.join(rnd.choice('0123456789') for _ in range(rnd.randint(int(digits[1]), int(digits[2]))))
        between = re.fullmatch(r'(\d+)-(\d+)', name)
        if not between:
            raise SystemExit(f'answers/{language}.txt: no slot {name}')
        return str(rnd.randint(int(between[1]), int(between[2])))

    for _ in range(count):
        question, text = rnd.choice(patterns)
        while '{' in text:
            text = re.sub(r'\{([^{}]+)\}', value, text)
        yield question, text
