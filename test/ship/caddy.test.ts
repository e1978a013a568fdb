import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { freePorts } from '#test/machine/free-ports.ts'
import { startPeer, until } from '#test/machine/peer-process.ts'
import { offhook, ourRoot, output, ready } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { notesIn } from '#test/service/exchange.ts'

const optionsRequest = [
  'OPTIONS sip:localhost SIP/2.0',
  'Via: SIP/2.0/WSS x.invalid;branch=z9hG4bKcaddy',
  'Max-Forwards: 70',
  'From: <sip:a@localhost>;tag=1',
  'To: <sip:localhost>',
  'Call-ID: caddy',
  'CSeq: 1 OPTIONS',
  'Content-Length: 0',
  '\r\n',
].join('\r\n')

/** As in docs/guides/tls.md, with Caddy's internal CA. */
test('works behind the shipped Caddy configuration: HTTPS, phones over wss, a talk with its events', async (t) => {
  if (!(await needs(t, 'caddy'))) return
  const [folder, data] = [await temporaryFolder(t), await temporaryFolder(t)]
  const first = await freePorts(t, 3)
  const [httpPort, httpsPort, ours] = [first, first + 1, first + 2]
  const url = `https://localhost:${httpsPort}`
  const settings = {
    OFFHOOK_DATA: data,
    OFFHOOK_HTTP: `127.0.0.1:${ours}`,
    OFFHOOK_PUBLIC_URL: url,
    OFFHOOK_TRUST_PROXY: 'on',
    OFFHOOK_SPEECH: 'tones',
  }
  await ready(offhook(t, ['serve'], settings))
  const places = [
    `XDG_DATA_HOME=${folder}`,
    `XDG_CONFIG_HOME=${folder}`,
    'CADDY_ADMIN=off',
    `CADDY_HTTP_PORT=${httpPort}`,
    `CADDY_HTTPS_PORT=${httpsPort}`,
  ]
  const caddyfile = join(ourRoot, 'deploy/caddy/Caddyfile')
  const caddy = [...places, `OFFHOOK_UPSTREAM=127.0.0.1:${ours}`, 'caddy', 'run', '--config', caddyfile, '--adapter', 'caddyfile']
  startPeer(t, 'env', caddy, folder)
  const root = join(folder, 'caddy/pki/authorities/local/root.crt')
  const ca = await until('the authority of Caddy', () => readFile(root, 'utf8').catch(() => undefined))
  const ask = async (path: string): Promise<{ reply: IncomingMessage; body: string }> => {
    const [reply] = (await once(get(`${url}${path}`, { ca }), 'response')) as [IncomingMessage]
    return { reply, body: await text(reply) }
  }
  await until('Caddy finds the service', async () => (await ask('/ready').catch(() => undefined))?.reply.statusCode === 200)

  const { reply, body } = await ask('/console/')
  assert.equal(reply.statusCode, 200)
  assert.match(body, /<html/)
  assert.match(String(reply.headers['strict-transport-security']), /^max-age=/)
  const plain = await fetch(`http://localhost:${httpPort}/console/`, { redirect: 'manual' })
  assert.equal(plain.status, 308)
  assert.match(plain.headers.get('location') ?? '', /^https:\/\/localhost\/console\/$/)

  const phone = new WebSocket(`wss://localhost:${httpsPort}/sip`, ['sip'], { ca })
  t.after(() => phone.terminate())
  await once(phone, 'open')
  phone.send(optionsRequest)
  assert.match(String((await once(phone, 'message'))[0]), /^SIP\/2\.0 200 /)

  const { token = '' } = await notesIn(data)
  const says = offhook(t, ['say', 'Hello there', 'goodbye', '--url', url, '--token', token], { NODE_EXTRA_CA_CERTS: root })
  const [code, conversation, complaints] = await output(says)
  assert.equal(code, 0, complaints)
  assert.match(conversation, /▶ Hello there\n[^]*Hello there/, 'the assistant repeats it: over the talk and the events')
})
