import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { portHolder } from '#adapters/machine/port-holder.ts'
import type { Address, PortRange } from '#settings/setting-values.ts'
import { broken, suspect, fine, type Check, type Finding, type DoctorContext } from './finding.ts'

export const checkPorts: Check = async (context) => {
  const { settings } = context
  const wanted: [string, Address | undefined, ('tcp' | 'udp')[]][] = [
    ['OFFHOOK_HTTP', settings.OFFHOOK_HTTP, ['tcp']],
    ['OFFHOOK_HTTPS', settings.OFFHOOK_HTTPS, ['tcp']],
    ['OFFHOOK_SIP', settings.OFFHOOK_SIP, ['udp', 'tcp']],
    ['OFFHOOK_SIP_TLS', settings.OFFHOOK_SIP_TLS, ['tcp']],
    ['OFFHOOK_SIP_WS', settings.OFFHOOK_SIP_WS, ['tcp']],
    ['OFFHOOK_SMPP', settings.OFFHOOK_SMPP, ['tcp']],
    ['OFFHOOK_SMPP_TLS', settings.OFFHOOK_SMPP_TLS, ['tcp']],
  ]
  const findings: Finding[] = []
  for (const [name, address, ways] of wanted)
    for (const way of address ? ways : []) findings.push(await portFinding(context, name, address as Address, way))
  return findings
}

/** Whether the running service holds the port: by its notes, or presumably if its version writes none. */
const isOurs = ({ instance, runsAt }: DoctorContext, { port }: Address): boolean =>
  instance?.state === 'running' ? Object.values(instance.notes.addresses).some((one) => one.endsWith(`:${port}`)) : runsAt !== undefined

const portFinding = async (context: DoctorContext, name: string, address: Address, way: 'tcp' | 'udp'): Promise<Finding> => {
  const about = `port ${address.port} ${way}`
  const refused = await (way === 'tcp' ? tryTcp(address) : tryUdp(address))
  if (refused === undefined) return fine(about, `${address.host} is free for ${name}`)
  if (refused === 'EADDRINUSE' && isOurs(context, address)) return fine(about, 'used by the service that is running')
  const portable = context.settings.OFFHOOK_PORTABLE
  const says =
    refused === 'EADDRINUSE'
      ? `${address.host} is used by ${(await portHolder(way, address.port, { portable })) ?? 'another program'}`
      : `${address.host} cannot be used (${refused})`
  return broken(about, says, `Set ${name} to another address, or end what uses it.`)
}

/** Error code of the system; undefined: free. */
const tryTcp = async ({ host, port }: Address): Promise<string | undefined> => {
  const server = createServer()
  const opened = once(server.listen(port, host), 'listening')
  const refused = await opened.then(() => undefined, codeOf)
  if (refused === undefined) await new Promise((done) => server.close(done))
  return refused
}

const tryUdp = async ({ host, port }: Address): Promise<string | undefined> => {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const opened = once(socket, 'listening')
  socket.bind(port, host)
  const refused = await opened.then(() => undefined, codeOf)
  await closed(socket)
  return refused
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message
const closed = (socket: Socket): Promise<void> => new Promise((done) => socket.close(done))

const samples = 12
const answerTimeoutMs = 1_000

/** Audio is UDP: opens some of the ports, and sends a packet from one to the other. */
export const checkSound: Check = async (context) => [
  ...(await Promise.all(audioHosts(context).map((host) => rtpPorts(host, context)))),
  ...(await rtpRange(context)),
  await udpWay(context),
]

const audioHosts = ({ settings: { OFFHOOK_RTP_ADDRESS: several, OFFHOOK_SIP: sip } }: DoctorContext): string[] =>
  several.length > 0 ? several : [sip.host]

const rtpPorts = async (host: string, { settings: { OFFHOOK_RTP: range }, runsAt }: DoctorContext): Promise<Finding> => {
  const ports = spread(range)
  const refused = await Promise.all(ports.map((port) => tryUdp({ host, port })))
  const taken = ports.filter((_, index) => refused[index] !== undefined)
  const says = `${range.first}-${range.last} on ${host}: ${ports.length - taken.length} of ${ports.length} that were tried are free`
  if (taken.length === 0 || (runsAt !== undefined && taken.length < ports.length / 2)) return fine('sound ports', says)
  return broken('sound ports', says, 'Set OFFHOOK_RTP to ports that no other program uses.')
}

const fewLegs = 20

/** Number of calls that the range allows, and whether the system gives its ports to other programs. */
const rtpRange = async ({ settings: { OFFHOOK_RTP: range } }: DoctorContext): Promise<Finding[]> => {
  const legs = Math.floor((range.last - range.first + 1) / 2)
  const about = 'sound room'
  if (legs < fewLegs)
    return [suspect(about, `OFFHOOK_RTP has room for ${legs} call legs; a call between two phones takes two`, 'Give it more ports.')]
  const given = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '')
  const [first = 0, last = 0] = given.trim().split(/\s+/).map(Number)
  return range.first <= last && range.last >= first
    ? [
        suspect(
          about,
          `the system gives ports ${first}-${last} to any program, some of them in OFFHOOK_RTP`,
          'Choose others, or set net.ipv4.ip_local_reserved_ports.',
        ),
      ]
    : [fine(about, `for ${legs} call legs, that is ${Math.floor(legs / 2)} calls between two phones`)]
}

const spread = ({ first, last }: PortRange): number[] => {
  const count = Math.min(samples, last - first + 1)
  return Array.from({ length: count }, (_, index) => first + Math.floor((index * (last - first)) / Math.max(1, count - 1)))
}

const udpWay = async ({ settings: { OFFHOOK_SIP: sip } }: DoctorContext): Promise<Finding> => {
  const host = sip.host === '0.0.0.0' ? '127.0.0.1' : sip.host === '::' ? '::1' : sip.host
  const [from, to] = [createSocket(host.includes(':') ? 'udp6' : 'udp4'), createSocket(host.includes(':') ? 'udp6' : 'udp4')]
  try {
    to.bind(0, host)
    await once(to, 'listening')
    const startedAt = performance.now()
    const arrived = once(to, 'message', { signal: AbortSignal.timeout(answerTimeoutMs) })
    from.send('sound', to.address().port, host)
    await arrived
    return fine('sound way', `a packet takes ${(performance.now() - startedAt).toFixed(1)} ms on ${host}`)
  } catch {
    return broken(
      'sound way',
      `a packet on ${host} does not arrive`,
      'A firewall on this machine drops UDP: allow the ports of OFFHOOK_RTP.',
    )
  } finally {
    await Promise.all([closed(from), closed(to)])
  }
}
