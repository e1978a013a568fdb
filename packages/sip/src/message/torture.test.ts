import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Request } from './message.ts'
import { parseSdp } from '../sdp/parse-sdp.ts'
import { SipError } from '../grammar/scan.ts'
import { judge, message, offer } from '../testing/sip-torture.ts'
import type { Trouble } from '../testing/sip-torture.ts'
import { parseUri } from '../grammar/uri.ts'
import { parseVia } from '../grammar/headers.ts'

const invite = (changes: Record<string, string | undefined> = {}, start?: string): string =>
  message('INVITE', { 'Content-Type': 'application/sdp', ...changes }, { body: offer, ...(start === undefined ? {} : { start }) })

const method = (name: string) => (request: Pick<Request, 'method'>) => assert.equal(request.method, name)

const wellFormed: Trouble[] = [
  {
    what: '3.1.1.1 blanks and folds everywhere',
    text: [
      'INVITE sip:desk@pbx.example;odd SIP/2.0',
      'tO :',
      '\tsip:desk@pbx.example ;  tag   =  tt9',
      'fRoM  : "C \\\\ \\""     <sip:caller@carrier.example>',
      '  ;',
      '   tag = ft9',
      'mAX-fORWARDS: 0042',
      'CALL-id: w@192.0.2.40',
      'cseq: 000021',
      '\tINVITE',
      'via  : SIP  /  2.0',
      ' /UDP',
      '   192.0.2.41 ; branch=old',
      'v: SIP / 2.0 / TCP   next.example ;',
      '  branch = z9hG4bKn ,',
      ' SIP/2.0/UDP   192.0.2.43 ; branch=',
      ' z9hG4bKo',
      's :',
      'New-Thing: ;,;;,,"',
      'm:"Q \\"\\"" <sip:caller@192.0.2.40> ; p =',
      '   v ; flag ; q = 0.5',
      'Content-Length   : 0',
      '',
      '',
    ].join('\r\n'),
    verdict: (request) => {
      assert.deepEqual([request.toTag, request.fromTag, request.from.display], ['tt9', 'ft9', 'C \\ "'])
      assert.deepEqual([request.via.host, request.via.params['branch'], request.list('via').length], ['192.0.2.41', 'old', 3])
      assert.deepEqual(request.list('via').map(parseVia)[2]?.params['branch'], 'z9hG4bKo')
      assert.deepEqual([request.cseq.number, request.header('max-forwards'), request.header('subject')], [21, '0042', ''])
      assert.deepEqual({ ...request.contacts[0]?.params }, { p: 'v', flag: '', q: '0.5' })
    },
  },
  {
    what: '3.1.1.2 every character that is allowed, and an unknown method',
    text: message("Odd-0*+`.%'~!_Method", {
      Via: "SIP/2.0/TCP h.example;branch=z9hG4bK-.!%66*_+`'~",
      To: '"BEL:\\\x07 NUL:\\\x00 DEL:\\\x7f" <sip:1_odd~(a!b)&c\'d+e$/f?,;;*@pbx.example>',
      From: "tok~` en'+_ *%!.- <sip:plain@pbx.example>;p''~+*_!.-%=\"бол\";tag=_t~1'+`*%!-.",
      'Call-ID': 'w%ZK-!.*_+\'@w`~)(><:\\/"][?}{',
      'Max-Forwards': '255',
      "x-!.%*+_`'~": '\ufeff大停電',
    }),
    verdict: (request) => {
      assert.equal(request.to.display, 'BEL:\x07 NUL:\0 DEL:\x7f')
      assert.equal(parseUri(request.to.uri).user, "1_odd~(a!b)&c'd+e$/f?,;;*")
      assert.equal(request.from.params["p''~+*_!.-%"], 'бол')
      assert.equal(request.cseq.method, request.method)
    },
  },
  {
    what: '3.1.1.3 escapes in URIs, undone once',
    text: invite(
      { To: '<sip:%64esk@pbx.example>', Contact: '<sip:c%61ller@192.0.2.40;%6C%72;n%61me=v%2541>' },
      'INVITE sip:sips%3Adesk%40pbx.example@proxy.example SIP/2.0',
    ),
    verdict: (request) => {
      assert.deepEqual([request.target.user, request.target.host], ['sips:desk@pbx.example', 'proxy.example'])
      assert.equal(parseUri(request.to.uri).user, 'desk')
      assert.deepEqual({ ...parseUri(request.contacts[0]!.uri).params }, { lr: '', name: 'v%41' })
    },
  },
  {
    what: '3.1.1.4 escaped NULs do not end a text',
    text: message('REGISTER', { To: '<sip:a%00b@pbx.example>', Contact: '<sip:%00@h.example>, <sip:%00%00@h.example>' }),
    verdict: (request) => {
      assert.equal(parseUri(request.to.uri).user, 'a\0b')
      assert.deepEqual(
        request.contacts.map(({ uri }) => parseUri(uri).user?.length),
        [1, 2],
      )
    },
  },
  {
    what: '3.1.1.5 percent signs that are no escapes',
    text: message('RE%47ISTER', { To: '"%Z%45" <sip:desk@pbx.example>', 'C%6Fntact': '<sip:x@h.example>' }),
    verdict: (request) => {
      assert.notEqual(request.method, 'REGISTER')
      assert.deepEqual([request.to.display, request.contacts.length], ['%Z%45', 0])
    },
  },
  {
    what: '3.1.1.6 no blank before the bracket',
    text: message('OPTIONS', { From: 'caller<sip:caller@carrier.example>;tag=1' }),
    verdict: (request) => assert.equal(request.from.display, 'caller'),
  },
  {
    what: '3.1.1.7 long values',
    text: invite({
      To: `"${'long '.repeat(60)}"<sip:desk@pbx.example:6000;${'p'.repeat(300)}=${'v'.repeat(300)};${'n'.repeat(300)}>`,
      'Call-ID': 'c'.repeat(600),
      Via: Array.from({ length: 30 }, (_, i) => `SIP/2.0/TCP h${i}.example`).join('\r\nVia: '),
      [`Unknown-${'Long'.repeat(50)}`]: `${'v'.repeat(500)}; x = y`,
    }),
    verdict: (request) => assert.deepEqual([request.callId.length, request.lines('via').length], [600, 30]),
  },
  {
    what: '3.1.1.8 a second request in the same datagram is not read',
    text: message('REGISTER') + message('INVITE'),
    verdict: (request) => assert.deepEqual([request.method, request.body.length], ['REGISTER', 0]),
  },
  {
    what: '3.1.1.9 semicolons in the user part',
    text: message('OPTIONS', {}, { start: 'OPTIONS sip:desk;par=d%40other.example@pbx.example SIP/2.0' }),
    verdict: ({ target }) => {
      assert.deepEqual([target.user, target.host, Object.keys(target.params).length], ['desk;par=d@other.example', 'pbx.example', 0])
    },
  },
  {
    what: '3.1.1.10 unknown transports',
    text: message('OPTIONS', {}, { lines: ['Via: SIP/2.0/SCTP a.example', 'Via: SIP/2.0/UNHEARD-OF b.example'] }),
    verdict: (request) => assert.equal(request.lines('via').length, 3),
  },
  {
    what: '3.1.1.11 a body of several parts with bytes of all kinds',
    text: message(
      'MESSAGE',
      { 'Content-Type': 'multipart/mixed;boundary=b1' },
      { body: '--b1\r\n\r\nHi\r\n--b1\r\n\r\n\0\x01\r\n\r\n--b1--' },
    ),
    verdict: (request) => assert.ok(Buffer.from(request.body).includes(0)),
  },
  {
    what: '3.1.1.12 a reason phrase that is not ASCII',
    text: message('INVITE', {}, { start: 'SIP/2.0 200 = 2**3 * 5**2 но сто' }),
    verdict: (response) => assert.deepEqual([response.status, response.reason], [200, '= 2**3 * 5**2 но сто']),
  },
  {
    what: '3.1.1.13 no reason phrase',
    text: message('INVITE', {}, { start: 'SIP/2.0 100 ' }),
    verdict: (response) => assert.deepEqual([response.status, response.reason], [100, '']),
  },
]

const malformed: Trouble[] = [
  {
    what: '3.1.2.1 separators without anything between them',
    text: invite({ Via: 'SIP/2.0/UDP 192.0.2.40;;,;,,', Contact: '<sip:a@b.example>;;;' }),
    verdict: 400,
  },
  { what: '3.1.2.2 a body shorter than it says', text: invite({ 'Content-Length': '9999' }), verdict: 400 },
  { what: '3.1.2.3 a negative length', text: invite({ 'Content-Length': '-12' }), verdict: 400 },
  {
    what: '3.1.2.4 numbers too large in a request',
    text: message('REGISTER', { CSeq: '36893488147419103232 REGISTER', 'Max-Forwards': '300', Expires: '1'.repeat(100) }),
    verdict: 400,
  },
  {
    what: '3.1.2.5 numbers too large in a response',
    text: message(
      'OPTIONS',
      { CSeq: '9292394834772304023312 OPTIONS', 'Retry-After': '949302838503028349304023988' },
      { start: 'SIP/2.0 503 No' },
    ),
    verdict: 'dropped',
  },
  { what: '3.1.2.6 a quote without an end', text: invite({ To: '"Desk <sip:desk@pbx.example>' }), verdict: 400 },
  { what: '3.1.2.7 brackets around the Request-URI', text: invite({}, 'INVITE <sip:desk@pbx.example> SIP/2.0'), verdict: 400 },
  { what: '3.1.2.8 a blank in the Request-URI', text: invite({}, 'INVITE sip:desk@pbx.example; lr SIP/2.0'), verdict: 400 },
  { what: '3.1.2.9 several blanks in the request line', text: invite({}, 'INVITE  sip:desk@pbx.example  SIP/2.0'), verdict: 400 },
  {
    what: '3.1.2.10 blanks behind the request line',
    text: message('OPTIONS', {}, { start: 'OPTIONS sip:desk@pbx.example SIP/2.0  ' }),
    verdict: 400,
  },
  {
    what: '3.1.2.11 headers in the Request-URI',
    text: invite({}, 'INVITE sip:desk@pbx.example?Route=%3Csip:thief.example%3E SIP/2.0'),
    verdict: 400,
  },
  {
    what: '3.1.2.12 a date in another zone: the date is not needed',
    text: invite({ Date: 'Sat, 01 Jan 2028 16:00:00 EST' }),
    verdict: method('INVITE'),
  },
  {
    what: '3.1.2.13 a Contact whose headers belong in angle brackets',
    text: message('REGISTER', { Contact: 'sip:a@b.example?Route=%3Csip:c.example%3E' }),
    verdict: 400,
  },
  { what: '3.1.2.14 blanks between the brackets', text: message('OPTIONS', { To: '"Desk" < sip:desk@pbx.example >' }), verdict: 400 },
  {
    what: '3.1.2.15 a display name that needs quotes',
    text: message('OPTIONS', { To: 'Desk, Second <sip:desk@pbx.example>' }),
    verdict: 400,
  },
  {
    what: '3.1.2.16 another version',
    text: message('OPTIONS', { Via: 'SIP/7.0/UDP h.example' }, { start: 'OPTIONS sip:desk@pbx.example SIP/7.0' }),
    verdict: 505,
  },
  { what: '3.1.2.17 two methods, both known', text: message('OPTIONS', { CSeq: '8 INVITE' }), verdict: 400 },
  { what: '3.1.2.18 two methods, one unknown', text: message('NEWMETHOD', { CSeq: '8 INVITE' }), verdict: 400 },
  { what: '3.1.2.19 a status beyond all', text: message('INVITE', {}, { start: 'SIP/2.0 4294967301 surprise' }), verdict: 'dropped' },
]

const application: Trouble[] = [
  {
    what: '3.2.1 a branch that is the cookie alone',
    text: message('OPTIONS', { Via: 'SIP/2.0/UDP 192.0.2.40;branch=z9hG4bK' }),
    verdict: ({ via }) => assert.equal(via.params['branch'], 'z9hG4bK'),
  },
  { what: '3.3.1 most of what is needed is missing', text: invite({ 'Call-ID': undefined, From: undefined, To: undefined }), verdict: 400 },
  { what: '3.3.2 an unknown scheme', text: message('OPTIONS', {}, { start: 'OPTIONS neverHeardOfIt:opaque SIP/2.0' }), verdict: 416 },
  {
    what: '3.3.3 a known scheme of others',
    text: message('OPTIONS', {}, { start: 'OPTIONS soap.beep://192.0.2.40:3002 SIP/2.0' }),
    verdict: 416,
  },
  {
    what: '3.3.4 unknown schemes in other places',
    text: message('REGISTER', { To: 'isbn:2983792873', From: '<http://www.example>;tag=1', Contact: '<name:John_Smith>' }),
    verdict: (request) => assert.throws(() => parseUri(request.to.uri), SipError),
  },
  {
    what: '3.3.5 unsupported extensions',
    text: message('OPTIONS', { Require: 'notThis, norThis' }),
    verdict: (request) => assert.deepEqual(request.list('require'), ['notThis', 'norThis']),
  },
  {
    what: '3.3.6 a body of an unknown type',
    text: invite({ 'Content-Type': 'application/unheard' }),
    verdict: (request) => assert.equal(request.header('content-type'), 'application/unheard'),
  },
  {
    what: '3.3.7 an unknown way to authenticate',
    text: message('REGISTER', { Authorization: 'NeverHeard data=here' }),
    verdict: method('REGISTER'),
  },
  {
    what: '3.3.8 headers twice that may be there once',
    text: message('INVITE', {}, { lines: ['CSeq: 5 INVITE', 'Call-ID: other', 'From: <sip:x@y.example>', 'To: <sip:x@y.example>'] }),
    verdict: 400,
  },
  {
    what: '3.3.9 two lengths',
    text: message('OPTIONS', { 'Content-Length': '13' }, { lines: ['Content-Length: 5'], body: 'how long is this?' }),
    verdict: 400,
  },
  {
    what: '3.3.10 a response that wants to be sent to everybody',
    text: message('INVITE', {}, { start: 'SIP/2.0 200 OK', lines: ['Via: SIP/2.0/UDP 255.255.255.255'] }),
    verdict: (response) => assert.equal(response.via.host, '192.0.2.40'),
  },
  {
    what: '3.3.11 no hops left',
    text: message('OPTIONS', { 'Max-Forwards': '0' }),
    verdict: (request) => assert.equal(request.header('max-forwards'), '0'),
  },
  {
    what: '3.3.12 a parameter of the Contact',
    text: message('REGISTER', { Contact: 'sip:+492111@gw.example;odd' }),
    verdict: ({ contacts }) => assert.deepEqual([contacts[0]?.uri, contacts[0]?.params['odd']], ['sip:+492111@gw.example', '']),
  },
  {
    what: '3.3.13 a parameter of the Contact URI',
    text: message('REGISTER', { Contact: '<sip:+492111@gw.example;odd>' }),
    verdict: ({ contacts }) => assert.deepEqual([parseUri(contacts[0]!.uri).params['odd'], contacts[0]?.params['odd']], ['', undefined]),
  },
  {
    what: '3.3.14 an escaped Route in a Contact',
    text: message('REGISTER', { M: '<sip:a@b.example?Route=%3Csip:thief.example%3E>' }),
    verdict: (request) =>
      assert.deepEqual([request.header('route'), parseUri(request.contacts[0]!.uri).headers['route']], [undefined, '<sip:thief.example>']),
  },
  {
    what: '3.3.15 no SDP wanted',
    text: invite({ Accept: 'text/unheard' }),
    verdict: (request) => assert.deepEqual(request.list('accept'), ['text/unheard']),
  },
  {
    what: '3.4.1 a request of the old standard',
    text: message(
      'INVITE',
      {
        Via: 'SIP/2.0/UDP gw.example',
        From: '<sip:+492111@gw.example;user=phone>',
        'Max-Forwards': undefined,
        'Content-Length': undefined,
      },
      { body: offer },
    ),
    verdict: (request) => {
      assert.deepEqual([request.fromTag, request.via.params['branch']], [undefined, undefined])
      assert.equal(parseSdp(request.body).media.length, 1)
    },
  },
]

const all = [...wellFormed, ...malformed, ...application]
for (const trouble of all) judge(trouble)

test('covers all kinds of RFC 4475', () => assert.equal(all.length, 49))
