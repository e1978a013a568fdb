import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCertificate } from '#test/machine/certificate.ts'
import { startBaresip } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'

const deviceOf = async (exchange: Exchange, deviceId: string) => {
  const device = await exchange.admin.getDevice({ deviceId })
  assert.equal(device.type, 'REGISTER')
  return device.type === 'REGISTER' ? device : assert.fail()
}

test('registers a softphone with its password, shows it online, and unregisters it', { concurrency: true }, async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const { certFile, keyFile } = await makeCertificate(t)
  const tls = `127.0.0.1:${await freePorts(t, 1)}`
  const exchange = await startExchange(t, { OFFHOOK_SIP_TLS: tls, OFFHOOK_TLS_CERT: certFile, OFFHOOK_TLS_KEY: keyFile })

  const tests = (['udp', 'tcp', 'tls'] as const).map((transport) =>
    t.test(`registers over ${transport}`, async (t) => {
      const { deviceId, user, password } = await exchange.newDevice()
      assert.deepEqual([(await deviceOf(exchange, deviceId)).online, (await deviceOf(exchange, deviceId)).registered], [false, []])
      const registrar = transport === 'tls' ? tls : exchange.sip
      const phone = await startBaresip(t, { user, password, registrar, transport, tone: 600 })
      assert.match((await phone.event('REGISTER_OK')).param ?? '', /^200/)

      const device = await deviceOf(exchange, deviceId)
      assert.equal(device.online, true)
      assert.equal(device.registered.length, 1)
      assert.match(device.registered[0]?.userAgent ?? '', /^baresip/)
      assert.equal(device.registered[0]?.ip, '127.0.0.1')

      await phone.leave()
      await until('it is offline', async () => !(await deviceOf(exchange, deviceId)).online)
      assert.deepEqual((await deviceOf(exchange, deviceId)).registered, [])
    }),
  )

  const refused = t.test('rejects a wrong password, whether the name exists or not', async (t) => {
    const { deviceId, user } = await exchange.newDevice()
    const guesses = [user, `${exchange.accountId}e99`, 'nobody']
    const answers = await Promise.all(
      guesses.map(async (name) => {
        const phone = await startBaresip(t, { user: name, password: 'not the password', registrar: exchange.sip, tone: 600 })
        return (await phone.event('REGISTER_FAIL')).param
      }),
    )
    assert.equal(new Set(answers).size, 1, `the answers tell them apart: ${answers.join(', ')}`)
    assert.match(answers[0] ?? '', /^40[13]/)
    assert.equal((await deviceOf(exchange, deviceId)).online, false)
  })
  await Promise.all([...tests, refused])
})
