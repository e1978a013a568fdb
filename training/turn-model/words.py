"""Words and marks of a text, as the product's `spokenWords` (core/speech/turns) splits it."""
import re

TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*'?|[,;:–—…]|[.?!¿¡]+|-", re.U)
HESITATIONS = {
    'en': 'um uh uhm er erm hmm umm'.split(),
    'de': 'äh ähm öhm hm ähh'.split(),
    'es': 'eh em este mmm'.split(),
    'fr': 'euh heu hum ben'.split(),
    'it': 'eh ehm uhm mmm'.split(),
}
ALL_HESITATIONS = set(sum(HESITATIONS.values(), [])) | {'ummm', 'uhh'}
NO_MARK, COMMA, STOP = 0, 1, 2
MAX_ASKED = 16


def split(text):
    """(words in lower case, the mark after each word)"""
    text = text.lower().replace('’', "'").replace('ʼ', "'").replace('`', "'")
    text = re.sub(r'(?<=\d)[:.](?=\d)', 'point', text)
    text = re.sub(r'(?<=\d),(?=\d{3}\b)', '', text)
    text = re.sub(r'[$€£]', ' ', text)
    words, marks = [], []
    for token in TOKEN.findall(text):
        if token[0].isalnum():
            words.append(token)
            marks.append(NO_MARK)
        elif words and token[0] in '.?!':
            marks[-1] = STOP
        elif words and token not in ('-', '¿', '¡'):
            marks[-1] = max(marks[-1], COMMA)
    return words, marks


def question(text):
    """The last words of the last sentence: what the assistant asked."""
    words, marks = split(text)
    begin = max((i + 1 for i, mark in enumerate(marks[:-1]) if mark == STOP), default=0)
    return words[begin:][-MAX_ASKED:]


def tokens(words):
    """Numbers of three and more digits become digits: the first as it is, the others marked as its continuation."""
    result = []
    for word in words:
        if len(word) >= 3 and word.isdigit() and word.isascii():
            result.extend([word[0]] + ['+' + digit for digit in word[1:]])
        else:
            result.append(word)
    return result
