import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { makeCertificate } from '#test/machine/certificate.ts'
import { outboundOver, readText } from './outbound.ts'

const input = { method: 'GET' as const, headers: {}, signal: new AbortController().signal }

const failureOf = (answer: Promise<unknown>): Promise<Error> =>
  answer.then(
    () => assert.fail('it was allowed'),
    ({ cause }: Error) => cause as Error,
  )

test('connects to the allowed addresses in order and follows no redirect', async (t) => {
  const address = await startLoopbackServer(t, (request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://other.test/' }).end()
    else response.end(`${request.headers.host} ${request.url}`)
  })
  const port = Number(address.split(':')[1])
  const asked: string[] = []
  const addresses = async (name: string, number: number): Promise<string[]> => {
    asked.push(`${name}:${number}`)
    return ['127.0.0.2', '127.0.0.1'].slice(name === 'model.test' ? 0 : 1)
  }
  const outbound = outboundOver({ addresses })
  t.after(() => outbound.close())
  const answer = await outbound.fetch(`http://model.test:${port}/v1`, input)
  assert.equal((await readText(answer.body, 1_000)).text, `model.test:${port} /v1`)
  assert.equal((await outbound.fetch(`http://127.0.0.1:${port}/away`, input)).status, 302)
  assert.deepEqual(asked, [`model.test:${port}`, `127.0.0.1:${port}`])
})

test('fails with the reason of the service when an address is rejected', async (t) => {
  const outbound = outboundOver({ addresses: () => Promise.reject(new Error('only public addresses')) })
  t.after(() => outbound.close())
  const failure = await failureOf(outbound.fetch('http://127.0.0.1:8080/', input))
  assert.match(failure.message, /only public addresses/)
})

test('sends SNI and verifies the certificate over TLS', async (t) => {
  const { cert, key } = await makeCertificate(t, 'model.test')
  const asked: string[] = []
  const server = createServer({ cert, key, SNICallback: (name, done) => (asked.push(name), done(null)) }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const outbound = outboundOver({ addresses: async () => ['127.0.0.1'] })
  t.after(() => outbound.close())
  const failure = await failureOf(outbound.fetch(`https://model.test:${port}/`, input))
  assert.equal((failure as NodeJS.ErrnoException).code, 'DEPTH_ZERO_SELF_SIGNED_CERT')
  assert.deepEqual(asked, ['model.test'])
})
