import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { limits } from '@offhook/sip/grammar/scan.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import { pathologicalMessages, pathologicalSdp, pathologicalValues, readStreamed, tryTo } from '@offhook/sip/testing/sip-pathological.ts'

/**
 * Cost of parsing a message: an INVITE as a carrier sends it, with every field that each request needs (addresses, Via, CSeq, Contact,
 * Request-URI). CPU time, so that other work on the machine does not count. Then the slowest of the adversarial inputs: whole messages, header values
 * and session descriptions, each of the maximum allowed length. The best of several runs counts: other load only adds.
 */
const description = [
  'v=0',
  'o=- 3870923400 3870923400 IN IP4 203.0.113.19',
  's=-',
  'c=IN IP4 203.0.113.19',
  't=0 0',
  'm=audio 41230 RTP/AVP 8 0 9 101',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:9 G722/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-16',
  'a=ptime:20',
  'a=sendrecv',
  '',
].join('\r\n')

const invite = Buffer.from(
  [
    'INVITE sip:+4921163554444@sip.example.org:5060;user=phone SIP/2.0',
    'Via: SIP/2.0/UDP 198.51.100.7:5060;branch=z9hG4bK1b9f.2af13a87.0;rport',
    'Via: SIP/2.0/UDP 203.0.113.19:5060;received=203.0.113.19;branch=z9hG4bK-524287-1---0a7c5d1e2f;rport=5060',
    'Record-Route: <sip:198.51.100.7;lr;ftag=8f2c1e5a>',
    'Max-Forwards: 69',
    'Contact: <sip:+49309876543@203.0.113.19:5060;transport=udp>;+sip.instance="<urn:uuid:00000000-0000-1000-8000-000a95a0e128>"',
    'To: <sip:+4921163554444@sip.example.org;user=phone>',
    'From: "Erika Beispiel" <sip:+49309876543@carrier.example.net;user=phone>;tag=8f2c1e5a',
    'Call-ID: 9c2f5e1a-7d34-4e0b-8f61-0c2d3e4f5a6b@203.0.113.19',
    'CSeq: 102 INVITE',
    'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, REFER, NOTIFY, SUBSCRIBE',
    'Supported: replaces, timer, 100rel, norefersub, path, outbound',
    'Session-Expires: 1800;refresher=uac',
    'Min-SE: 90',
    'User-Agent: Example Carrier Session Border Controller 7.2.1',
    'P-Asserted-Identity: "Erika Beispiel" <sip:+49309876543@carrier.example.net;user=phone>',
    'Privacy: none',
    'Date: Sat, 14 Nov 2026 09:30:00 GMT',
    'Content-Type: application/sdp',
    `Content-Length: ${description.length}`,
    '',
    description,
  ].join('\r\n'),
)

const batch = 20_000

/** Messages per second of CPU time. */
const measure = (): number => {
  let found = 0
  const before = process.cpuUsage()
  for (let i = 0; i < batch; i++) found += (parseMessage(invite) as Request).contacts.length
  const { user, system } = process.cpuUsage(before)
  assert.equal(found, batch)
  return (batch / (user + system)) * 1e6
}

const bestMs = (read: () => unknown): number => {
  let best = Infinity
  for (let i = 0; i < 10; i++) {
    const startedAt = performance.now()
    tryTo(read)
    best = Math.min(best, performance.now() - startedAt)
  }
  return best
}

measure()
const rates = Array.from({ length: 10 }, measure)
const pathological = [
  ...Object.entries(pathologicalMessages).map(([name, make]) => ({ name, ms: bestMs(readStreamed(make(limits.streamBytes))) })),
  ...Object.entries(pathologicalValues).map(([name, make]) => ({ name, ms: bestMs(make(limits.headerLength)) })),
  ...Object.entries(pathologicalSdp).map(([name, make]) => ({ name, ms: bestMs(make(limits.sdpBytes)) })),
].toSorted((a, b) => b.ms - a.ms)

console.log(
  JSON.stringify({
    bench: 'sip-parse',
    inviteBytes: invite.length,
    invitesPerCpuSecond: Math.round(Math.max(...rates)),
    pathologicalBytes: limits.streamBytes,
    worstMs: Number(pathological[0]!.ms.toFixed(2)),
    worst: pathological[0]!.name,
  }),
)
