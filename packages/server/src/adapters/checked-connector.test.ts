import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedAddresses } from './checked-connector.ts'

const names: Record<string, string[]> = {
  'model.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inside.example': ['10.0.0.7'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'ollama.internal': ['10.0.0.8'],
  'ourselves.example': ['203.0.112.9'],
}

const addresses = allowedAddresses({
  allow: ['127.0.0.1:11434', 'ollama.internal'],
  ownAddresses: () => ['203.0.112.9'],
  lookup: async (hostname) => (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
})

test('returns the allowed addresses to clients that connect by themselves', async () => {
  assert.deepEqual(await addresses('model.example', 443), names['model.example'])
  assert.deepEqual(await addresses('93.184.215.14', 443), ['93.184.215.14'])
  assert.deepEqual(await addresses('127.0.0.1', 11434), ['127.0.0.1'])
  assert.deepEqual(await addresses('ollama.internal', 80), ['10.0.0.8'])
})

test('rejects private addresses, this machine, and names that resolve to one of them', async () => {
  const forbidden: [string, number][] = [
    ['127.0.0.1', 8080],
    ['::1', 443],
    ['169.254.169.254', 80],
    ['0x7f.1', 80],
    ['localhost', 11434],
    ['inside.example', 443],
    ['mixed.example', 443],
    ['ourselves.example', 443],
    ['nobody.example', 443],
  ]
  for (const [hostname, port] of forbidden)
    await assert.rejects(addresses(hostname, port), { name: 'OutboundFailure' }, `${hostname}:${port}`)
})
