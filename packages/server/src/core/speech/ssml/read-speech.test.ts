import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { fc } from '#test/chance/fast-check.ts'
import { readSpeech } from './read-speech.ts'
import { wholeDocument, wordsOf, type Piece } from './script.ts'
import { leastEffortMs } from '#test/chance/effort.ts'

const read = (text: string, language = 'en-US') => readSpeech({ text, language })
/** Pieces without default values. */
const short = (pieces: readonly Piece[]): unknown[] =>
  pieces.map((piece) => {
    if (piece.kind === 'silence') return piece.ms
    if (piece.kind === 'mark') return `#${piece.name}`
    if (piece.kind === 'audio') return { url: piece.url, alternative: wordsOf(piece.alternative) }
    const { kind: _, text, ...prosody } = piece
    const special = Object.entries(prosody).filter(([name, value]) => value !== { language: 'en-US', speed: 1, pitch: 0, gainDb: 0 }[name])
    return special.length === 0 ? text : { text, ...Object.fromEntries(special) }
  })
const inside = (content: string, language?: string): unknown[] => short(read(`<speak>${content}</speak>`, language).script)
const problemsOf = (content: string): string[] => read(`<speak>${content}</speak>`).problems

test('keeps plain text with any characters as one piece', () => {
  assert.deepEqual(read(' Is 2 < 3 & 4? <speak> '), {
    script: [{ kind: 'text', text: 'Is 2 < 3 & 4? <speak>', language: 'en-US', speed: 1, pitch: 0, gainDb: 0 }],
    problems: [],
  })
  assert.deepEqual(read('  ').script, [])
  assert.deepEqual(readSpeech({ language: 'en' }).script, [])
})

test('reads the pauses and flushes that language models write into plain text', () => {
  const plain = (text: string): unknown[] => short(read(text).script)
  assert.deepEqual(plain('Hello,<flush /> one moment <break time="500ms" /> please.<break/>'), [
    'Hello,',
    'one moment',
    500,
    'please.',
    400,
  ])
  assert.deepEqual(plain('A<BREAK time=\'2s\'></break>b<break strength="weak">c<flush>'), ['A', 2000, 'b', 200, 'c'])
  assert.deepEqual(plain('a<break time="90s"/>b<break time="1s"/>c<break time="soon"/>'), ['a', 60_000, 'b', 'c'], 'at most 60 s in all')
  assert.deepEqual(plain('Is 2 <breakfast> & <flushed> <br'), ['Is 2 <breakfast> & <flushed> <br'])
  const hostile = ['<break ', '<break time="', '<', '<flush/>', '<break/>', '<break time=', '<break          '].map((part) =>
    part.repeat(9_000),
  )
  for (const text of hostile) assert.ok(leastEffortMs(75, () => read(text.slice(0, 10_000))) < 75, text.slice(0, 20))
})

test('keeps the order of text, pauses and marks, and joins text of the same style', () => {
  assert.deepEqual(
    inside('Hello, <break time="500ms"/>your   code &amp; <sub alias="World Wide Web">WWW</sub> <![CDATA[<3]]><mark name="end"/>Bye'),
    ['Hello,', 500, 'your code & World Wide Web <3', '#end', 'Bye'],
  )
  assert.deepEqual(inside('a<break/>b<break strength="x-strong"/>c<break strength="none"/>d<break time="1.5s"/>'), [
    'a',
    400,
    'b',
    1000,
    'c d',
    1500,
  ])
})

test('keeps the pronunciation of phoneme elements', () => {
  const ipa = [{ word: 'Siegl', ipa: 'ˈziːɡl̩' }]
  assert.deepEqual(inside('Ask <phoneme alphabet="ipa" ph="ˈziːɡl̩">Siegl</phoneme>!<break/>Bye'), [
    { text: 'Ask Siegl!', ipa },
    400,
    { text: 'Bye', ipa },
  ])
  assert.deepEqual(inside('<phoneme ph="">a</phoneme> <phoneme alphabet="x-sampa" ph="b">b</phoneme>'), ['a b'])
  assert.equal(problemsOf('<phoneme ph="">a</phoneme> <phoneme alphabet="x-sampa" ph="b">b</phoneme>').length, 2)
  assert.equal(problemsOf('<phoneme ph="a">a</phoneme>'.repeat(300)).length, 1)
})

test('puts a pause between paragraphs and separates sentences', () => {
  assert.deepEqual(inside('<p><s>One</s><s>Two</s></p> <p>Three</p>'), ['One', 'Two', 400, 'Three'])
})

test('combines nested prosody within its limits', () => {
  assert.deepEqual(inside('<prosody rate="50%" pitch="+2st" volume="-6dB">a<prosody rate="x-slow" pitch="high">b</prosody></prosody>c'), [
    { text: 'a', speed: 0.5, pitch: 2, gainDb: -6 },
    { text: 'b', speed: 0.4, pitch: 5, gainDb: -6 },
    'c',
  ])
  assert.deepEqual(inside('<prosody rate="+20%" pitch="+100%" volume="50">x</prosody>'), [
    { text: 'x', speed: 1.2, pitch: 12, gainDb: 20 * Math.log10(0.5) },
  ])
  assert.deepEqual(inside('<prosody rate="1.2">x</prosody><emphasis level="strong">y</emphasis>'), [
    { text: 'x', speed: 1.2 },
    { text: 'y', speed: 0.88, gainDb: 3 },
  ])
  for (const wrong of ['rate="very"', 'rate="0"', 'pitch="-100%"', 'pitch="3km"', 'volume="12st"']) {
    assert.equal(problemsOf(`<prosody ${wrong}>x</prosody>`).length, 1, wrong)
  }
})

test('ignores names of inherited object members', () => {
  const wrong = '<prosody rate="constructor" pitch="toString" volume="valueOf">a</prosody><break strength="constructor"/>'
  assert.deepEqual(inside(`${wrong}<emphasis level="constructor">b</emphasis>`), ['ab'])
  assert.equal(problemsOf(wrong).length, 4)
  assert.equal(wordsOf(read('<speak>a &constructor; b').script), 'a b')
})

test('applies voice and language to nested content', () => {
  assert.deepEqual(short(read('<?xml version="1.0"?>\n<speak xml:lang="de-DE">Hallo <lang xml:lang="en-GB">you</lang></speak>').script), [
    { text: 'Hallo', language: 'de-DE' },
    { text: 'you', language: 'en-GB' },
  ])
  assert.deepEqual(inside('<voice name="Joe" xml:lang="fr-FR">Oui</voice>'), [{ text: 'Oui', language: 'fr-FR', voice: 'Joe' }])
  assert.equal(problemsOf('<lang xml:lang="english please">x</lang>').length, 1)
})

test('expands say-as in English and German', () => {
  const says = (as: string, text: string, language = 'en-US', format = ''): unknown =>
    inside(`<say-as interpret-as="${as}" format="${format}">${text}</say-as>`, language)[0]
  const german = (as: string, text: string, format = ''): unknown => (says(as, text, 'de-DE', format) as { text: string }).text
  assert.equal(says('digits', '4711'), 'four seven one one')
  assert.equal(says('telephone', '+49 (30) 123456'), 'plus four nine, three zero, one two three, four five six')
  assert.equal(says('date', '12/25/2026', 'en-US', 'mdy'), 'December twenty-fifth, twenty twenty-six')
  assert.equal(says('date', '20260305', 'en-US', 'ymd'), 'March fifth, twenty twenty-six')
  assert.equal(says('date', '99/99/2026'), 'ninety-nine ninety-nine two thousand twenty-six')
  assert.equal(says('time', '2:05pm'), 'two oh five P M')
  assert.equal(says('cardinal', '1,234'), 'one thousand two hundred thirty-four')
  assert.equal(says('cardinal', '-3.5'), 'minus three point five')
  assert.equal(says('ordinal', '22'), 'twenty-second')
  assert.equal(says('characters', 'Ab-1'), 'ay B minus one')
  assert.equal(says('spell-out', 'FBI'), 'F B I')
  assert.equal(says('currency', '$12.50'), 'twelve dollars and fifty cents')
  assert.equal(german('digits', '4711'), 'vier sieben eins eins')
  assert.equal(german('date', '3.5.2026'), 'dritter Mai zweitausendsechsundzwanzig')
  assert.equal(german('time', '15:30'), 'fünfzehn Uhr dreißig')
  assert.equal(german('cardinal', '1.234'), 'eintausendzweihundertvierunddreißig')
  assert.equal(german('ordinal', '3'), 'dritte')
  assert.equal(german('spell-out', 'Aß'), 'A Eszett')
})

test('inflects say-as by the preceding word, and leaves it to the voice in other languages', () => {
  assert.deepEqual(inside('am <say-as interpret-as="ordinal">3</say-as> Tag', 'de'), [{ text: 'am dritten Tag', language: 'de' }])
  assert.deepEqual(inside('<say-as interpret-as="digits">12</say-as> <say-as interpret-as="cardinal">12</say-as>', 'fr'), [
    { text: '1 2 12', language: 'fr' },
  ])
  assert.deepEqual(problemsOf('<say-as interpret-as="nonsense">x</say-as>'), [
    '<say-as>: interpret-as is unknown; its text is said as it is',
  ])
})

test('keeps the URL and the alternative of audio', () => {
  const reading = read('<speak>Listen <audio src="https://example.com/a.wav">a <desc>of a bell</desc> ding</audio> there</speak>')
  assert.deepEqual(short(reading.script), ['Listen', { url: 'https://example.com/a.wav', alternative: 'a ding' }, 'there'])
  assert.equal(wordsOf(reading.script), 'Listen a ding there')
  assert.deepEqual(inside('<audio src="file:///etc/passwd">no</audio>way'), ['no', 'way'])
  assert.equal(problemsOf('<audio src="/local">x</audio>').length, 1)
})

test('speaks the content of unknown elements and reports each once', () => {
  const reading = read('<speak><mstts:express-as style="sad">Oh</mstts:express-as> <mstts:express-as>no</mstts:express-as></speak>')
  assert.deepEqual(short(reading.script), ['Oh no'])
  assert.deepEqual(reading.problems, ['<mstts:express-as> is not known; its text is said'])
})

test('passes the document unchanged to SSML voices, unless audio must be fetched', () => {
  const document = '<speak>Hi <mstts:x>you</mstts:x></speak>'
  assert.equal(wholeDocument(read(`\n${document} `)), document)
  assert.equal(wholeDocument(read('<speak><audio src="file:///x"/>Hi</speak>')), undefined)
  assert.equal(wholeDocument(read('Hi')), undefined)
  assert.equal(wholeDocument(read('<speak>Hi')), undefined)
})

test('speaks malformed SSML as plain text and reports it', () => {
  const cases: [string, string][] = [
    ['<speak>Hello <b>World & you &lt;3</speak>', 'Hello World & you <3'],
    ['<speak>One<p>Two', 'One Two'],
    ['<speak>a</speak>b', 'a b'],
    ['<speak a="1" a="2">x</speak>', 'x'],
    ['<speak>&nbsp;&#65;&#xDFFF;B<', 'A B<'],
    ['<speak><?php x ?>y</speak>', 'y'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><speak>&b;d</speak>', 'd'],
    ['<speak>x<!-- y </speak>', 'x'],
  ]
  for (const [document, words] of cases) {
    const reading = read(document)
    assert.equal(wordsOf(reading.script), words, document)
    assert.match(reading.problems[0] ?? '', /^the SSML is said as plain text: /, document)
  }
  assert.deepEqual(readSpeech({ ssml: '<p>Hi</p>', language: 'en' }).problems, [
    'the SSML is said as plain text: the outermost element is not <speak>',
  ])
})

test('limits all pauses together to one minute', () => {
  const reading = read(`<speak>${'<break time="25s"/>x'.repeat(5)}</speak>`)
  assert.equal(
    reading.script.reduce((sum, piece) => sum + (piece.kind === 'silence' ? piece.ms : 0), 0),
    60_000,
  )
  assert.equal(wordsOf(reading.script), 'x x x x x')
  assert.equal(reading.problems.length, 1)
})

const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
const bombs = {
  laughs: `<!DOCTYPE z [<!ENTITY l0 "ha">${laughs}]><speak>&l9;</speak>`,
  outside: '<!DOCTYPE z SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd">]><speak>&x;</speak>',
  deep: `<speak>${'<p>'.repeat(100_000)}`,
  deepButShort: `<speak>${'<p>'.repeat(40)}x${'</p>'.repeat(40)}</speak>`,
  wide: `<speak>${'<s/>'.repeat(1_100)}</speak>`,
  large: `<speak>${'x'.repeat(5_000_000)}</speak>`,
  attributes: `<speak ${Array.from({ length: 1_000 }, (_, i) => `a${i}=""`).join(' ')}><s>${'</s>'.repeat(200)}</speak>`,
  brackets: `<speak>${'<'.repeat(9_000)}`,
  ampersands: `<speak>${'&'.repeat(9_000)}`,
}

test('rejects XML bombs within 50 ms', () => {
  for (const [name, bomb] of Object.entries(bombs)) {
    const reading = read(bomb)
    assert.match(reading.problems[0] ?? '', /^the SSML is said as plain text/, name)
    assert.ok(wordsOf(reading.script).length <= 10_000, name)
    assert.doesNotMatch(wordsOf(reading.script), /root:|ha ?ha/, name)
    const took = leastEffortMs(50, () => read(bomb))
    assert.ok(took < 50, `${name} took ${took} ms`)
  }
})

test('survives XML bombs in a thread with little memory', async () => {
  const code = `
    const { workerData, parentPort } = require('node:worker_threads')
    import(workerData.module).then(({ readSpeech }) => {
      for (const text of workerData.bombs) readSpeech({ text, language: 'en' })
      parentPort.postMessage('survived')
    })`
  const workerData = { module: import.meta.resolve('./read-speech.ts'), bombs: Object.values(bombs) }
  const thread = new Worker(code, { eval: true, workerData, resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 } })
  const ended = once(thread, 'exit')
  assert.deepEqual(await once(thread, 'message'), ['survived'])
  await ended
})

test('reads any input and loses no text outside of tags', () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      '<p>',
      '</p>',
      '<break time="1s"/>',
      '<say-as interpret-as="',
      'digits">',
      '</say-as>',
      '<audio src="http://x/">',
      '&amp;',
    ),
    fc.constantFrom(
      '<speak>',
      '</speak>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '&#x',
      '<!DOCTYPE',
      '<sub alias="',
      '"/>',
      'word',
      '12',
    ),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 30 }), (fragments) => {
      const reading = readSpeech({ ssml: `<speak>${fragments.join('')}</speak>`, language: 'en' })
      for (const piece of reading.script) if (piece.kind === 'text') assert.notEqual(piece.text.trim(), '')
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ,.!]{1,100}$/), (words) => {
      const packed = (text: string): string => text.replace(/\s/g, '')
      for (const ssml of [`<speak><p>${words}</p></speak>`, `<speak><p>${words}</speak>`]) {
        assert.equal(packed(wordsOf(readSpeech({ ssml, language: 'en' }).script)), packed(words))
      }
    }),
  )
})
