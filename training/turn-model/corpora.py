"""Readers of the public corpora (CORPORA.md). Each yields turns from git objects: (language, split, dialogue, what was asked, text).

A split of None means: by a hash of the dialogue. HELD corpora are for tests only.
"""
import csv
import io
import json
import os
import re
import subprocess

HELD = 'held'


class Repositories:
    """Clones under one folder, as <owner>+<name>/repo or <owner>/<name>."""

    def __init__(self, folder):
        self.folder = folder

    def _git(self, repo, *args):
        for path in (repo.replace('/', '+') + '/repo/.git', repo.replace('/', '+') + '/repo', repo + '/.git', repo):
            full = os.path.join(self.folder, path)
            if os.path.isdir(os.path.join(full, 'objects')):
                return subprocess.check_output(['git', '-C', full, *args], stderr=subprocess.DEVNULL)
        raise SystemExit(f'No clone of {repo} under {self.folder}. CORPORA.md lists what is needed.')

    def text(self, repo, path):
        return self._git(repo, 'show', 'HEAD:' + path).decode('utf8', 'replace')

    def lines(self, repo, path):
        return self.text(repo, path).splitlines()

    def json(self, repo, path):
        return json.loads(self.text(repo, path))

    def files(self, repo, under):
        """Paths of files that the clone holds; a partial clone lists others as missing."""
        rows = (row.split('\t', 1) for row in self._git(repo, 'ls-tree', '-r', '-l', 'HEAD').decode().splitlines())
        return [path for meta, path in rows if path.startswith(under) and meta.split()[3] != 'BAD']


def dstc10(repos):
    repo = 'alexa/alexa-with-dstc10-track2-dataset'
    for number, dialogue in enumerate(repos.json(repo, 'task2/data/val/logs.json')):
        asked = ''
        for turn in dialogue:
            if turn['speaker'] == 'U':
                yield 'en', HELD, str(number), asked, turn['text']
            else:
                asked = turn['text']


def schema_guided(repos):
    repo = 'google-research-datasets/dstc8-schema-guided-dialogue'
    for path in repos.files(repo, 'test/') + repos.files(repo, 'dev/'):
        if 'dialogues_' not in path:
            continue
        for dialogue in repos.json(repo, path):
            asked = ''
            for turn in dialogue['turns']:
                if turn['speaker'] == 'USER':
                    yield 'en', HELD, dialogue['dialogue_id'], asked, turn['utterance']
                else:
                    asked = turn['utterance']


def woz(repos):
    """Its licence does not name the data, so nothing is trained on it."""
    for language in ('de', 'it'):
        for part in ('train', 'validate', 'test'):
            for dialogue in repos.json('nmrksic/neural-belief-tracker', f'data/woz/woz_{part}_{language}.json'):
                for turn in dialogue['dialogue']:
                    yield language, HELD, str(dialogue['dialogue_idx']), '', turn['transcript']


def taskmaster(repos):
    repo = 'google-research-datasets/Taskmaster'
    for path in repos.files(repo, 'TM-4-2024/data/'):
        for dialogue in repos.json(repo, path):
            asked = ''
            for turn in dialogue['utterances']:
                if turn['speaker'] == 'user':
                    yield 'en', None, dialogue['conversation_id'], asked, turn['text']
                else:
                    asked = turn['text']
    for path in repos.files(repo, 'TM-3-2020/reward/'):
        for row in repos.json(repo, path):
            asked = ''
            for turn in json.loads(row['context']):
                if turn.get('role') == 'user' and 'text' in turn:
                    yield 'en', None, row['conversation_id'], asked, turn['text']
                elif turn.get('role') == 'agent' and 'text' in turn:
                    asked = turn['text']
    for line in repos.lines(repo, 'TM-3-2020/splits/train/train-bc.tsv'):
        columns = line.split('\t')
        dialogue = columns[2] if len(columns) > 2 else columns[0][:30]
        asked = ''
        for role, text in re.findall(r'<(U|A)>([^<]*)', columns[0].split('<C>')[-1]):
            if role == 'U':
                yield 'en', None, dialogue, asked, text
            else:
                asked = text


def agents(repos):
    """What the other side of Taskmaster says: speech as well, with a small weight."""
    repo = 'google-research-datasets/Taskmaster'
    for path in repos.files(repo, 'TM-4-2024/data/'):
        for dialogue in repos.json(repo, path):
            said = ''
            for turn in dialogue['utterances']:
                if turn['speaker'] == 'user':
                    said = turn['text']
                else:
                    yield 'en', None, dialogue['conversation_id'], said, turn['text']


def multidogo(repos):
    repo = 'awslabs/multi-domain-goal-oriented-dialogues-dataset'
    for path in repos.files(repo, 'data/paper_splits/splits_annotated_at_turn_level/'):
        if not path.endswith('.tsv'):
            continue
        for line in repos.lines(repo, path)[1:]:
            columns = line.split('\t')
            if len(columns) > 3:
                yield 'en', None, columns[0], '', columns[3]


def slurp(repos):
    for path in ('dataset/slurp/devel.jsonl', 'dataset/slurp/test.jsonl'):
        for line in repos.lines('pswietojanski/slurp', path):
            text = json.loads(line)['sentence']
            yield 'en', None, text, '', text
    for text in repos.lines('pswietojanski/slurp', 'dataset/lm/lm.txt'):
        yield 'en', None, text, '', text
    repo = 'xliuhw/NLU-Evaluation-Data'
    for path in repos.files(repo, 'CrossValidation/out4RasaReal/'):
        if re.search(r'KFold_(4|7)/merged/', path):
            for row in repos.json(repo, path)['rasa_nlu_data']['common_examples']:
                yield 'en', None, row['text'], '', row['text']


def polyai(repos):
    """Restaurant-8k, Banking77 and NLU++."""
    repo = 'PolyAI-LDN/task-specific-datasets'
    questions = {'people': 'for how many people', 'date': 'for which day', 'time': 'for what time',
                 'first_name': 'what is your first name', 'last_name': 'what is your last name'}
    for path in repos.files(repo, 'span_extraction/restaurant8k/'):
        if path.endswith('.json') and ('train_0' in path or 'test' in path):
            for row in repos.json(repo, path):
                slots = (row.get('context') or {}).get('requestedSlots') or ['']
                text = row['userInput']['text']
                yield 'en', None, text, questions.get(slots[0], ''), text
    for path in ('banking_data/train.csv', 'banking_data/test.csv'):
        for row in list(csv.reader(io.StringIO(repos.text(repo, path))))[1:]:
            yield 'en', None, row[0], 'how can i help you', row[0]
    for path in repos.files(repo, 'nlupp/data/'):
        if 'fold' in path:
            for row in repos.json(repo, path):
                yield 'en', None, row['text'], '', row['text']


def evi(repos):
    questions = {'name_full': 'what is your full name', 'name_first': 'what is your first name', 'name_last': 'what is your last name',
                 'dob': 'what is your date of birth'}
    text = repos.text('PolyAI-LDN/evi-paper', 'data/dialogues.en.tsv')
    for row in list(csv.reader(io.StringIO(text), delimiter='\t'))[1:]:
        yield 'en', None, row[1], questions.get(row[4], 'what is your ' + row[4].replace('_', ' ')), row[8]


def home_assistant(repos):
    repo = 'home-assistant/intents'
    for language in ('en', 'de', 'es', 'fr', 'it'):
        for path in repos.files(repo, f'tests/{language}/'):
            if not path.endswith('.yaml') or '/_' in path:
                continue
            found = re.findall(r'^\s+- "?([^\n"{}\[\]<>:|]{6,90})"?\s*$', repos.text(repo, path), re.M)
            for text in found[:60]:
                if ' ' in text:
                    yield language, None, path, '', text


COMMON_VOICE = {
    'en': ['sentence-collector.txt'],
    'de': ['sentence-collector.txt', 'jf99.txt', 'jf99-batch01.txt', 'jf99-batch02.txt', 'jf99-batch03.txt', 'jf99-batch04.txt', 'est31.txt', 'DonHege.txt'],
    'es': ['sentence-collector.txt'],
    'fr': ['issue2259_deleted_export_readd_fixed.txt', 'libretheatre_', 'addresses-', 'vfvv', 'assemblee-nationale_'],
    'it': ['frasi.txt', 'sentence-collector.txt'],
}
WIKIPEDIA = {'de': ['wiki.de.rerun-2022-08.txt'], 'it': ['wiki.it.rerun-2021-10.txt']}


def _common_voice(repos, names):
    repo = 'common-voice/common-voice'
    for language, prefixes in names.items():
        under = f'server/data/{language}/'
        for path in repos.files(repo, under):
            if path[len(under):].startswith(tuple(prefixes)):
                for text in repos.lines(repo, path):
                    if 3 <= len(text.split()) <= 22:
                        yield language, None, text, '', text


def common_voice(repos):
    yield from _common_voice(repos, COMMON_VOICE)


def common_voice_wikipedia(repos):
    yield from _common_voice(repos, WIKIPEDIA)


def thorsten(repos):
    for line in repos.lines('thorstenMueller/Thorsten-Voice', 'german_corpus-mimic_recording_studio.csv'):
        text = line.split('\t')[0]
        if 3 <= len(text.split()) <= 22:
            yield 'de', None, text, '', text


# name: (reader, weight in training, at most so many turns of one language)
CORPORA = {
    'dstc10': (dstc10, 0, 4000), 'sgd': (schema_guided, 0, 4000), 'woz': (woz, 0, 4000),
    'taskmaster': (taskmaster, 1, None), 'agents': (agents, 0.4, 40000), 'multidogo': (multidogo, 1, None), 'slurp': (slurp, 1, None),
    'polyai': (polyai, 1, None), 'evi': (evi, 1, None), 'home-assistant': (home_assistant, 1, None),
    'common-voice': (common_voice, 0.6, 65000), 'wikipedia': (common_voice_wikipedia, 0.3, 25000), 'thorsten': (thorsten, 0.7, 30000),
}
