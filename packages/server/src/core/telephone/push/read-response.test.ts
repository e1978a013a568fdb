import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import type { CallGuidance } from '#core/kernel/ports/calls.ts'
import { readResponse, type ReadFor } from './read-response.ts'
import { leastEffortMs } from '#test/chance/effort.ts'

const incoming: ReadFor = { direction: 'in', country: 'DE' }
const outgoing: ReadFor = { direction: 'out', country: 'DE' }
const resume: CallGuidance = { verb: undefined, onAnswer: undefined, onHangup: undefined }
const verbOf = (inner: string, reader = incoming) => readResponse(`<Response>${inner}</Response>`, reader).guidance?.verb
const errorOf = (document: string, reader = incoming) => readResponse(document, reader).xmlError ?? 'nothing'

test('reads an empty response as no verb, with its notification addresses', () => {
  const declared = '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- nothing -->\n<Response>\n</Response>\n'
  for (const empty of ['<Response/>', '<Response></Response>', '<Response>  </Response>', declared])
    assert.deepEqual(readResponse(empty, incoming), { guidance: resume })
  const both = '<Response onAnswer="http://u:p@c.example:8080/a?b=1&amp;c=2" onHangup="https://c.example/h"/>'
  assert.deepEqual(readResponse(both, incoming), {
    guidance: { verb: undefined, onAnswer: 'http://u:p@c.example:8080/a?b=1&c=2', onHangup: 'https://c.example/h' },
  })
})

test("Dial: reads numbers in the account's dialling formats, or the voicemail", () => {
  const dial = { kind: 'dial', voicemail: false, callerId: undefined, anonymous: false }
  for (const written of ['4915799912345', '+4915799912345', '015799912345', '004915799912345', ' +49 1579 99 12345 '])
    assert.deepEqual(verbOf(`<Dial><Number>${written}</Number></Dial>`), { ...dial, numbers: ['+4915799912345'] })
  const five = ['4930231250', '4930231251', '4930231252', '4930231253', '4930231254']
    .map((number) => `<Number>${number}</Number>`)
    .join('\n')
  const several = verbOf(`<Dial callerId="4930231259" anonymous="true">${five}</Dial>`)
  assert.deepEqual(several, {
    ...dial,
    numbers: ['+4930231250', '+4930231251', '+4930231252', '+4930231253', '+4930231254'],
    callerId: '+4930231259',
    anonymous: true,
  })
  const unsent = verbOf('<Dial anonymous="undefined"><Number>4930231250</Number></Dial>')
  assert.deepEqual(unsent, { ...dial, numbers: ['+4930231250'] }, 'the library of many customers writes this when it was not told')
  assert.deepEqual(verbOf('<Dial><Voicemail/></Dial>'), { ...dial, numbers: [], voicemail: true })
  assert.deepEqual(verbOf('<Dial><Number><![CDATA[4930231250]]></Number></Dial>', outgoing), { ...dial, numbers: ['+4930231250'] })
})

test('reads Play, Gather, Reject and Hangup', () => {
  assert.deepEqual(verbOf('<Play>\n<Url> https://c.example/a.wav?x=1&amp;y=2 </Url>\n</Play>'), {
    kind: 'play',
    url: 'https://c.example/a.wav?x=1&y=2',
  })
  const gather = { kind: 'gather', onData: 'https://c.example/d', maxDigits: 1, timeoutMs: 2000, play: undefined }
  assert.deepEqual(verbOf('<Gather onData="https://c.example/d"/>'), gather)
  const full =
    '<Gather onData="https://c.example/d" maxDigits="4" timeout="10000" type="dtmf"><Play><Url>http://c.example/m.wav</Url></Play></Gather>'
  assert.deepEqual(verbOf(full), { ...gather, maxDigits: 4, timeoutMs: 10_000, play: 'http://c.example/m.wav' })
  assert.deepEqual(verbOf('<Reject/>'), { kind: 'reject', reason: 'rejected' })
  assert.deepEqual(verbOf('<Reject reason="busy"/>'), { kind: 'reject', reason: 'busy' })
  assert.deepEqual(verbOf('<Hangup></Hangup>'), { kind: 'hangup' })
})

const dialOf = (count: number): string => `<Response><Dial>${'<Number>4930231250</Number>'.repeat(count)}</Dial></Response>`

test('rejects documents outside the grammar as a whole, with a reason that names the place', () => {
  const refused: [document: string, reason: RegExp][] = [
    ['', /document must contain a root element|no element/],
    ['<response/>', /outermost element must be <Response>, not <response>/],
    ['<Response><Say>hello</Say></Response>', /<Say> is not a verb/],
    ['<Response>hello</Response>', /<Response> holds text: "hello"/],
    ['<Response><Hangup/><Hangup/></Response>', /more than one verb/],
    ['<Response onData="https://c.example"/>', /<Response> has an unknown attribute "onData"/],
    ['<Response __proto__="x"/>', /unknown attribute "__proto__"/],
    ['<Response xmlns="urn:x"/>', /unknown attribute "xmlns"/],
    ['<Response onAnswer="/answer"/>', /onAnswer must be an absolute http or https address/],
    ['<Response onAnswer=""/>', /onAnswer must be/],
    ['<Response onHangup="ftp://c.example"/>', /onHangup must be/],
    [`<Response onHangup="https://c.example/${'a'.repeat(2048)}"/>`, /onHangup must be/],
    ['<Response><Play><Url>a.wav</Url></Play></Response>', /<Url> must be an absolute/],
    ['<Response><Play><Url>file:///etc/passwd</Url></Play></Response>', /<Url> must be an absolute/],
    ['<Response><Play/></Response>', /<Play> must hold one <Url>/],
    ['<Response><Play><Url>http://a/</Url><Url>http://a/</Url></Play></Response>', /<Play> must hold one <Url>/],
    ['<Response><Gather/></Response>', /<Gather> lacks onData/],
    ['<Response><Gather onData="d"/></Response>', /onData must be an absolute/],
    ['<Response><Gather onData="http://a/" maxDigits="0"/></Response>', /maxDigits of <Gather> must be a whole number from 1 to 128/],
    ['<Response><Gather onData="http://a/" maxDigits="1.5"/></Response>', /maxDigits/],
    ['<Response><Gather onData="http://a/" timeout="-1"/></Response>', /timeout of <Gather>/],
    ['<Response><Gather onData="http://a/" timeout="60001"/></Response>', /timeout of <Gather>/],
    ['<Response><Gather onData="http://a/" type="speech"/></Response>', /type of <Gather> must be dtmf/],
    ['<Response><Gather onData="http://a/"><Dial/></Gather></Response>', /<Dial> cannot stand in <Gather>/],
    ['<Response><Dial/></Response>', /<Dial> must hold/],
    [dialOf(6), /more than 5 <Number>/],
    [dialOf(200), /more than 50 elements/],
    ['<Response><Dial><Number>4930231250</Number><Voicemail/></Dial></Response>', /both <Number> and <Voicemail\/>/],
    ['<Response><Dial><Voicemail/><Number>4930231250</Number></Dial></Response>', /one or more <Number> or one <Voicemail\/>/],
    ['<Response><Dial><Number>12</Number></Dial></Response>', /<Number> is not a phone number that can be called: "12"/],
    ['<Response><Dial><Number>112</Number></Dial></Response>', /<Number> is not a phone number/],
    ['<Response><Dial><Number>sip:a@b.example</Number></Dial></Response>', /<Number> is not a phone number/],
    ['<Response><Dial callerId="x"><Voicemail/></Dial></Response>', /callerId of <Dial> is not/],
    ['<Response><Dial anonymous="1"><Voicemail/></Dial></Response>', /anonymous of <Dial> must be true or false/],
    ['<Response><Reject reason="later"/></Response>', /reason of <Reject>/],
    ['<Response><Hangup now="1"/></Response>', /unknown attribute "now"/],
    ['<Response><Hangup>x</Hangup></Response>', /<Hangup> holds text/],
    ['<Response/><Response/>', /./],
    ['<Response>', /unclosed tag/],
    ['{"verb":"Dial"}', /./],
  ]
  for (const [document, reason] of refused) assert.match(errorOf(document), reason, document)
  assert.match(errorOf(dialOf(2), outgoing), /more than 1 <Number> for an outgoing call/)
  assert.match(errorOf('<Response><Dial><Voicemail/></Dial></Response>', outgoing), /incoming calls only/)
})

const hostile = {
  doctype: '<!DOCTYPE Response><Response/>',
  'external entity': '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><Response><Play><Url>&x;</Url></Play></Response>',
  'billion laughs': `<!DOCTYPE r [<!ENTITY a "ha">${'bcdefghij'
    .split('')
    .map((name, place) => `<!ENTITY ${name} "${`&${'abcdefghij'[place]};`.repeat(10)}">`)
    .join('')}]><Response>&j;</Response>`,
  'undeclared entity': '<Response>&nbsp;</Response>',
  'processing instruction': '<?php system("id") ?><Response/>',
  'style sheet': '<?xml version="1.0"?><?xml-stylesheet href="http://x/"?><Response/>',
  deep: '<Response>'.repeat(5000),
  wide: `<Response>${'<Hangup/>'.repeat(5000)}</Response>`,
  'many attributes': `<Response ${Array.from({ length: 3000 }, (_, i) => `a${i}="x"`).join(' ')}/>`,
  'attribute twice': '<Response onAnswer="http://a/" onAnswer="http://b/"/>',
  'control character': '<Response>\u0001</Response>',
  'character reference to nothing': '<Response>&#0;</Response>',
  'long name': `<${'R'.repeat(60_000)}/>`,
  'long text': `<Response>${'x'.repeat(64_000)}</Response>`,
  xinclude: '<Response xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></Response>',
}

for (const [name, document] of Object.entries(hostile)) {
  test(`hostile: rejects ${name} quickly with a short reason`, () => {
    const { xmlError } = readResponse(document, incoming)
    assert.ok(xmlError !== undefined && xmlError.length <= 300, xmlError)
    assert.ok(leastEffortMs(250, () => readResponse(document, incoming)) < 250, 'it took too long')
  })
}

const word = fc.constantFrom(
  ...'<Response <Dial <Number <Gather <Play <Url <Voicemail <Reject </Response </Dial </Number /> > http://a/ +4930231250'.split(' '),
  ...'<!-- --> <![CDATA[ ]]> <?xml ?> <!DOCTYPE &amp; &x; " = onData= reason='.split(' '),
  ' ',
)

test('never throws on arbitrary input and returns either guidance or an error', () => {
  const pieces = fc.array(fc.oneof({ weight: 4, arbitrary: word }, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 })
  fc.assert(
    fc.property(pieces, fc.boolean(), (parts, wrapped) => {
      const document = wrapped ? `<Response>${parts.join('')}</Response>` : parts.join('')
      const { guidance, xmlError } = readResponse(document, incoming)
      assert.notEqual(guidance === undefined, xmlError === undefined)
    }),
    { numRuns: 500 },
  )
})
