import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer, until } from '../machine/peer-process.ts'

export interface KannelOptions {
  /** Message centre that it binds to. */
  smsc: { port: number; systemId: string; password: string }
  /** URL called for every incoming message, with sender, recipient and text appended. */
  messagesUrl?: string
}

export interface Kannel {
  /** URL for sending: `http://user:password@host:port/cgi-bin/sendsms`. */
  readonly sendUrl: string
  /** Sends one message; returns the response. */
  send(fields: Record<string, string>): Promise<string>
  log(): string
}

const [user, password] = ['tester', 'foobar']

/** Kannel's bearerbox and smsbox: an ESME towards the message centre, and an HTTP gateway towards all others. */
export const startKannel = async (t: Scope, options: KannelOptions): Promise<Kannel> => {
  const folder = await temporaryFolder(t)
  const admin = await freePorts(t, 3)
  const [boxes, http] = [admin + 1, admin + 2]
  const file = join(folder, 'kannel.conf')
  await writeFile(file, configuration({ ...options, admin, boxes, http }))
  const bearerbox = startPeer(t, 'bearerbox', ['-v', '0', file], folder)
  await listening(bearerbox, 'tcp', boxes)
  const smsbox = startPeer(t, 'smsbox', ['-v', '0', file], folder)
  await listening(smsbox, 'tcp', http)
  const log = (): string => `${bearerbox.output()}\n${smsbox.output()}`
  await until('Kannel to be bound', () => /bind_transceiver_resp[^]*?command_status: 0 /.test(bearerbox.output()) || undefined)
  const send = async (fields: Record<string, string>): Promise<string> => {
    const query = new URLSearchParams({ username: user, password, charset: 'UTF-8', ...fields })
    // smsbox closes idle connections without warning: none is used twice.
    const reply = await fetch(`http://127.0.0.1:${http}/cgi-bin/sendsms?${query.toString()}`, { headers: { connection: 'close' } })
    return reply.text()
  }
  // smsbox listens before it has read its users, and may drop connections until it reaches bearerbox.
  const knowsUser = (): Promise<boolean> =>
    send({}).then(
      (said) => !said.startsWith('Authorization failed'),
      () => false,
    )
  await until('smsbox to know its user', async () => (await knowsUser()) || undefined)
  return { sendUrl: `http://${user}:${password}@127.0.0.1:${http}/cgi-bin/sendsms`, log, send }
}

interface Ports {
  admin: number
  boxes: number
  http: number
}

const configuration = ({ smsc, messagesUrl, admin, boxes, http }: KannelOptions & Ports): string => `
group = core
admin-port = ${admin}
admin-password = none
admin-interface = 127.0.0.1
smsbox-port = ${boxes}
smsbox-interface = 127.0.0.1
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = centre
host = 127.0.0.1
port = ${smsc.port}
transceiver-mode = true
smsc-username = ${smsc.systemId}
smsc-password = ${smsc.password}
system-type = ""
interface-version = 34
enquire-link-interval = 10
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${http}
sendsms-interface = 127.0.0.1
http-request-retry = 60
http-queue-delay = 10

group = sendsms-user
username = ${user}
password = ${password}
concatenation = true
max-messages = 10
${messagesUrl === undefined ? '' : service(messagesUrl)}`

const service = (url: string): string => `
group = sms-service
keyword = default
get-url = "${url}?from=%p&to=%P&text=%b&charset=%C"
max-messages = 0
`
