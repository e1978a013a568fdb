// test: own process, real time
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { syslogMessage } from '#core/operate/audit-streams/formats.ts'
import { syslogSender } from '#adapters/syslog-sender.ts'
import { listen } from '#test/http/outbound-client.ts'
import { makeCertificate } from '#test/machine/certificate.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { startPeer, until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'

const entry = (seq: number) => ({
  seq,
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  actor: 'user:w0',
  action: 'role.create',
  target: `a"b]c\\${seq}`,
  detail: { name: 'Größe' },
  previousHash: 'p',
  hash: 'h',
})

const openSender = (t: TestContext, port: number, clock?: VirtualClock) => {
  const sender = syslogSender({ allow: [`127.0.0.1:${port}`, `localhost:${port}`], ...(clock && { clock }) })
  t.after(() => sender.close())
  return sender
}

/** rsyslog that writes what it understood of each message as JSON lines. */
const startRsyslog = async (t: TestContext, inputs: (folder: string) => string) => {
  const folder = await temporaryFolder(t)
  const out = join(folder, 'out.jsonl')
  const config = join(folder, 'rsyslog.conf')
  const fields = ['pri', 'timereported:::date-rfc3339', 'hostname', 'app-name', 'msgid', 'structured-data', 'msg']
  const parts = fields.map((field) => {
    const [name, options = ''] = field.split(':::')
    return `property(outname="${name}" name="${name}" format="jsonf"${options === '' ? '' : ' dateFormat="rfc3339"'})`
  })
  await writeFile(
    config,
    `${inputs(folder)}
template(name="lines" type="list" option.jsonf="on") { ${parts.join('\n')} }
action(type="omfile" file="${out}" template="lines" asyncWriting="off")
`,
  )
  const peer = startPeer(t, 'rsyslogd', ['-n', '-f', config, '-i', join(folder, 'pid')], folder)
  const lines = async (count: number): Promise<Record<string, string>[]> =>
    until(`${count} lines of rsyslog: ${peer.output()}`, async () => {
      const written = (await readFile(out, 'utf8').catch(() => '')).split('\n').filter(Boolean)
      return written.length >= count ? written.map((line) => JSON.parse(line) as Record<string, string>) : undefined
    })
  return { lines, peer }
}

const sendWhenUp = (sender: ReturnType<typeof syslogSender>, url: string, messages: string[]): Promise<boolean> =>
  until('a connection to rsyslog', () =>
    sender.send(url, messages).then(
      () => true,
      (error: Error) => (/No connection/.test(error.message) ? undefined : Promise.reject(error)),
    ),
  )

const messages = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => syslogMessage('phone.example.com', '1234567', entry(from + nth)))

test('rsyslog understands every field of messages over TCP', async (t) => {
  if (!(await needs(t, 'rsyslogd'))) return
  const port = await freePorts(t, 1)
  const { lines } = await startRsyslog(t, () => `module(load="imtcp")\ninput(type="imtcp" port="${port}" address="127.0.0.1")`)
  await sendWhenUp(openSender(t, port), `tcp://127.0.0.1:${port}`, messages(1, 100))
  const written = await lines(100)
  assert.equal(written.length, 100)
  const [first] = written
  assert.deepEqual(
    [first?.pri, first?.hostname, first?.['app-name'], first?.msgid, first?.msg],
    ['109', 'phone.example.com', 'offhook', 'role.create', '\uFEFF{"name":"Größe"}'],
  )
  assert.match(
    first?.['structured-data'] ?? '',
    /^\[audit@32473 account="1234567" seq="1" actor="user:w0" action="role.create" target="a\\"b\\\]c\\\\1"/,
  )
  assert.match(written.at(-1)?.['structured-data'] ?? '', /seq="100"/)
})

test('sends to rsyslog over TLS, and only to a certificate that it trusts', async (t) => {
  if (!(await needs(t, 'rsyslogd', '/usr/lib/x86_64-linux-gnu/rsyslog/lmnsd_ossl.so'))) return
  const port = await freePorts(t, 1)
  const { cert, certFile, keyFile } = await makeCertificate(t)
  const { lines } = await startRsyslog(
    t,
    () => `global(defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="${certFile}"
  defaultNetstreamDriverCertFile="${certFile}" defaultNetstreamDriverKeyFile="${keyFile}")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imtcp" port="${port}" address="127.0.0.1")`,
  )
  const sender = openSender(t, port)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  await sendWhenUp(sender, `tls://localhost:${port}`, messages(1, 3))
  assert.equal((await lines(3)).length, 3)
  setDefaultCACertificates(trusted)
  await assert.rejects(sender.send(`tls://localhost:${port}`, messages(4, 1)), { kind: 'connect' })
})

test('counts a batch as failed when the server does not close after it, or closes before', async (t) => {
  const clock = new VirtualClock()
  const silent = createServer({ allowHalfOpen: true }, (socket) => socket.resume())
  const { port } = await listen(t, silent)
  const sending = openSender(t, port, clock).send(`tcp://127.0.0.1:${port}`, messages(1, 1))
  const failed = assert.rejects(sending, { kind: 'timeout' })
  await until('the connection', () => silent.listening && clock.pending() > 0)
  for (let nth = 0; nth < 20; nth++) await clock.advance(1_000)
  await failed
  await assert.rejects(openSender(t, 9).send('tcp://10.0.0.1:514', []), { kind: 'refused' })
})
