import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBusServers } from './bus-servers.ts'

test('reads addresses, ports and the login', () => {
  assert.deepEqual(readBusServers('tls://me:s%2Cecret@a.example,tls://b.example:4333'), {
    servers: ['a.example:4222', 'b.example:4333'],
    secure: true,
    login: { user: 'me', pass: 's,ecret' },
  })
  assert.deepEqual(readBusServers('tls://t0ken@a.example').login, { token: 't0ken' })
  for (const near of ['nats://localhost', 'nats://127.0.0.1:4222', 'nats://127.8.0.1', 'nats://[::1]:4222'])
    assert.equal(readBusServers(near).secure, false)
})

test('allows plain NATS only on this machine', () => {
  for (const far of ['nats://10.0.0.5', 'nats://nats', 'nats://localhost,nats://192.0.2.1', 'nats://[2001:db8::1]', 'nats://127.example'])
    assert.throws(() => readBusServers(far), /must begin with tls:/)
  assert.throws(() => readBusServers('nats://localhost,tls://b.example'), /for all servers or for none/)
})

test('rejects an invalid address without repeating a password', () => {
  for (const odd of ['nats', 'http://a', 'nats://', 'tls://a/b', 'tls://a?x=1', 'tls://me:100%@a', 'tls://a,,tls://b', 'tls://a:99999'])
    assert.throws(() => readBusServers(odd), /^Error: must be addresses such as/)
})
