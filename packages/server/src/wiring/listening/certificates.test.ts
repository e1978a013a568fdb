import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { makeCertificate, servedCertificate, type TestCertificate } from '#test/machine/certificate.ts'
import { temporaryFolder } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'

/** A service with TLS on every port, and the files of its certificate. */
const startSecure = async (t: TestContext, first: TestCertificate) => {
  const folder = await temporaryFolder(t)
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await copyFile(first.certFile, files.cert)
  await copyFile(first.keyFile, files.key)
  const events: string[] = []
  const clusterWide = '127.0.0.1:0'
  const settings = {
    OFFHOOK_HTTPS: clusterWide,
    OFFHOOK_SIP_TLS: clusterWide,
    OFFHOOK_SIP_WS: clusterWide,
    OFFHOOK_SMPP_TLS: clusterWide,
    OFFHOOK_TLS_CERT: files.cert,
    OFFHOOK_TLS_KEY: files.key,
  }
  const world = await startWorld(t, { settings, replaced: { log: (event) => void events.push(event) } })
  const { https = '', sipTls = '', sipWss = '', smpps = '' } = world.running.addresses
  const ports = [https.replace('https://', ''), sipTls, sipWss, smpps]
  return { world, files, events, https, sipWss, shown: () => Promise.all(ports.map(servedCertificate)) }
}

const ask = async (
  url: string,
  options: { ca: string[]; agent?: Agent },
): Promise<{ reply: IncomingMessage; body: string; reused: boolean }> => {
  const request = get(url, options)
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  return { reply, body: await text(reply), reused: request.reusedSocket }
}

test('reloads changed files at every port, keeps connections, and ignores a mismatched pair', async (t) => {
  const [first, second, third] = await Promise.all([makeCertificate(t), makeCertificate(t), makeCertificate(t)])
  const { world, files, events, https, sipWss, shown } = await startSecure(t, first)
  assert.deepEqual(new Set(await shown()), new Set([first.cert]))
  const ca = [first.cert, second.cert]
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  assert.equal((await ask(`${https}/health`, { ca, agent })).reply.statusCode, 200)
  const browser = new WebSocket(`wss://${sipWss}/sip`, ['sip'], { ca })
  t.after(() => browser.terminate())
  await once(browser, 'open')

  await copyFile(second.certFile, files.cert)
  await world.running.reload()
  assert.deepEqual(new Set(await shown()), new Set([first.cert]), 'the key is still the old one')
  await copyFile(second.keyFile, files.key)
  await world.running.reload()
  assert.deepEqual(new Set(await shown()), new Set([second.cert]))
  const again = await ask(`${https}/health`, { ca, agent })
  assert.deepEqual([again.reply.statusCode, again.reused], [200, true], 'over the connection that was open before')
  assert.equal(browser.readyState, WebSocket.OPEN)

  await copyFile(third.keyFile, files.key)
  await world.running.reload()
  assert.deepEqual(new Set(await shown()), new Set([second.cert]))
  assert.deepEqual(
    events.filter((event) => event.startsWith('certificate_')),
    ['certificate_expires', 'certificate_not_renewed', 'certificate_renewed', 'certificate_expires', 'certificate_not_renewed'],
  )
  const [expiry] = world.running.deps.certificates.expiries()
  assert.deepEqual([expiry?.name, (expiry?.notAfter ?? 0) > Date.now()], ['tls', true])
})

test('serves the whole API over HTTPS and closes it with the service', async (t) => {
  const certificate = await makeCertificate(t)
  const { world, https } = await startSecure(t, certificate)
  const ca = [certificate.cert]
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  assert.equal((await ask(`${https}/console/`, { ca, agent })).reply.statusCode, 200)
  assert.equal((await ask(`${https}/v1/account`, { ca, agent })).reply.statusCode, 401)
  const phone = new WebSocket(`${https.replace('https', 'wss')}/sip`, ['sip'], { ca })
  await once(phone, 'open')
  const closed = once(phone, 'close')
  await world.running.close()
  await closed
  await assert.rejects(ask(`${https}/health`, { ca }), { code: 'ECONNREFUSED' })
})
