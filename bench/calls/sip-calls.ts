import assert from 'node:assert/strict'
import type { Flow, SipClock, Transport } from '@offhook/sip/transport/transport.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'

/**
 * Cost of the signalling of a bridged call alone: a carrier calls, a phone rings and answers, the carrier hangs up. Messages are passed as bytes
 * without a socket, and the peers fill in prepared templates. CPU time per call; the best of several batches counts, because other load only adds.
 */
const batch = 2_000
const batches = 12
const carrier: Flow = { kind: 'udp', address: '127.0.0.2', port: 5060 }
const phone: Flow = { kind: 'udp', address: '127.0.0.3', port: 5060 }

const sdp = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.2',
  's=-',
  'c=IN IP4 127.0.0.2',
  't=0 0',
  'm=audio 6000 RTP/AVP 8 0 101',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-16',
  'a=ptime:20',
  '',
].join('\r\n')

const allow = 'Allow: INVITE, ACK, BYE, CANCEL, OPTIONS, UPDATE, PRACK, REFER, NOTIFY, INFO'
const described = `Content-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`

/** Header line of a message sent by the agent, verbatim. */
const line = (text: string, name: string): string => {
  const from = text.indexOf(`\r\n${name}: `) + 2
  return text.slice(from, text.indexOf('\r\n', from))
}

const request = (number: number, method: string, cseq: number, to: string, rest: string): Buffer =>
  Buffer.from(
    `${method} sip:+4930123@127.0.0.1:5060 SIP/2.0\r\n` +
      `Via: SIP/2.0/UDP 127.0.0.2:5060;rport;branch=z9hG4bK-${number}-${method}\r\n` +
      `From: <sip:sipp@127.0.0.2:5060>;tag=c${number}\r\n${to}\r\n` +
      `Call-ID: ${number}@127.0.0.2\r\nCSeq: ${cseq} ${method}\r\nMax-Forwards: 70\r\n${rest}`,
  )

const empty = 'Content-Length: 0\r\n\r\n'
const untagged = 'To: <sip:+4930123@127.0.0.1:5060>'
const contact = 'Contact: <sip:sipp@127.0.0.2:5060;transport=UDP>\r\n'

/** The phone's response to a request. */
const response = (asked: string, status: string, tag: string, rest: string): Buffer =>
  Buffer.from(
    `SIP/2.0 ${status}\r\n${line(asked, 'Via')}\r\n${line(asked, 'From')}\r\n${line(asked, 'To')}${tag}\r\n` +
      `${line(asked, 'Call-ID')}\r\n${line(asked, 'CSeq')}\r\n${rest}`,
  )

/** Frozen clock: timer cost is not measured. */
const clock: SipClock = { now: () => 0, after: () => () => {} }

/** Messages sent by the agent, in order; a peer answers when the bench says so. */
const sent: { bytes: Uint8Array; to: Flow }[] = []
const transport: Transport = {
  send: (bytes, to) => void sent.push({ bytes, to }),
  localAddress: () => ({ host: '127.0.0.1', port: 5060 }),
}

/** Transactions never end, so each batch gets a new agent. */
const newAgent = (): UserAgent => {
  const agent: UserAgent = new UserAgent({
    clock,
    transport,
    product: 'Offhook',
    resolve: () => Promise.resolve([carrier]),
    onInvite: ({ session, sdp: offer }) => {
      const other = agent.invite(
        { uri: 'sip:127.0.0.3:5060', from: '<sip:+4930123@127.0.0.1>', flow: phone, sdp: offer },
        {
          progress: () => void session.progress(180),
          answered: (answer) => void session.accept({ sdp: answer }),
          ended: () => void session.end(),
        },
      )
      session.observe({ ended: () => void other.end() })
    },
  })
  return agent
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

/** Returns the first message sent there with this start line, and clears the log. */
const take = (to: Flow, start: string): string => {
  const text = sent.filter((one) => one.to.address === to.address).map(({ bytes }) => Buffer.from(bytes).toString())
  const found = text.find((one) => one.startsWith(start))
  assert.ok(found, `${start} was not sent`)
  sent.length = 0
  return found
}

const call = async (agent: UserAgent, number: number): Promise<void> => {
  agent.receive(request(number, 'INVITE', 1, untagged, `${contact}${allow}\r\n${described}`), carrier)
  await turns()
  const invite = take(phone, 'INVITE')
  const tag = `;tag=p${number}`
  const at = 'Contact: <sip:127.0.0.3:5060;transport=UDP>\r\n'
  agent.receive(response(invite, '180 Ringing', tag, `${at}${empty}`), phone)
  agent.receive(response(invite, '200 OK', tag, `${at}${allow}\r\n${described}`), phone)
  await turns()
  const to = line(take(carrier, 'SIP/2.0 200'), 'To')
  agent.receive(request(number, 'ACK', 1, to, empty), carrier)
  await turns()
  agent.receive(request(number, 'BYE', 2, to, empty), carrier)
  await turns()
  agent.receive(response(take(phone, 'BYE'), '200 OK', '', empty), phone)
  await turns()
}

const measure = async (): Promise<number> => {
  const agent = newAgent()
  const before = process.cpuUsage()
  for (let number = 0; number < batch; number++) await call(agent, number)
  const { user, system } = process.cpuUsage(before)
  assert.equal(agent.load.sessions, 0)
  return (user + system) / batch
}

const figures: number[] = []
for (let i = 0; i < batches; i++) figures.push(await measure())
console.log(JSON.stringify({ bench: 'sip-calls', calls: batch * batches, cpuMicrosPerCall: Number(Math.min(...figures).toFixed(1)) }))
