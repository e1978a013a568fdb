import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeCertificate, servedCertificate } from '#test/machine/certificate.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { ourRoot, said } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startBaresip } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'

test('keeps a call over TLS up during a certificate renewal, and uses the new one for the next connection', async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const [first, second] = [await makeCertificate(t), await makeCertificate(t)]
  const folder = await temporaryFolder(t)
  const files = { OFFHOOK_TLS_CERT: join(folder, 'tls/fullchain.pem'), OFFHOOK_TLS_KEY: join(folder, 'tls/privkey.pem') }
  /** Like certbot: moves its links, then calls the hook. */
  const put = async ({ certFile, keyFile }: typeof first): Promise<void> => {
    await rm(join(folder, 'live'), { recursive: true, force: true })
    await mkdir(join(folder, 'live'))
    await symlink(certFile, join(folder, 'live/fullchain.pem'))
    await symlink(keyFile, join(folder, 'live/privkey.pem'))
    const env = {
      ...process.env,
      RENEWED_LINEAGE: join(folder, 'live'),
      OFFHOOK_TLS_FOLDER: join(folder, 'tls'),
      OFFHOOK_GROUP: String(process.getgid?.()),
    }
    await promisify(execFile)(join(ourRoot, 'deploy/certbot/offhook'), { env })
    assert.equal((await stat(files.OFFHOOK_TLS_KEY)).mode & 0o777, 0o640)
  }
  await put(first)
  const tls = `127.0.0.1:${await freePorts(t, 1)}`
  const exchange = await startExchange(t, { OFFHOOK_SIP_TLS: tls, OFFHOOK_LOG: 'info', ...files })
  const register = async (tone: number) => {
    const { deviceId, user, password } = await exchange.newDevice()
    const phone = await startBaresip(t, { user, password, registrar: tls, transport: 'tls', tone })
    await phone.event('REGISTER_OK')
    return { phone, deviceId }
  }
  const [caller, callee] = [await register(600), await register(1000)]
  const { number } = await exchange.newLine(callee.deviceId)
  await caller.phone.dial(`sip:${number}@${tls};transport=tls`)
  await callee.phone.answer()
  await Promise.all([caller.phone.hears(1000, 1), callee.phone.hears(600, 1)])

  await put(second)
  exchange.program.child.kill('SIGHUP')
  await said(exchange.program, 'stderr', /"event":"certificate_renewed"/)
  assert.equal(await servedCertificate(tls), second.cert)
  await Promise.all([caller.phone.hears(1000, 3), callee.phone.hears(600, 3)])
  await caller.phone.hold() // signalling over connections that were opened with the first certificate
  await caller.phone.resume()
  await callee.phone.hangUp()
  await caller.phone.event('CALL_CLOSED')
  const { phone } = await register(1200)
  assert.equal(phone.events().filter(({ type }) => type === 'REGISTER_FAIL').length, 0)
  assert.equal(exchange.program.child.exitCode, null, 'SIGHUP does not end a service without a terminal')
})
