import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestHa1, digestResponse, readAlgorithm } from './digest.ts'

/** The worked examples of RFC 7616 §3.9.1 and RFC 2617 §3.5. */
const example = {
  session: false,
  method: 'GET',
  uri: '/dir/index.html',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  nc: '00000001',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
}

test('computes the examples of the RFCs', () => {
  const md5 = digestHa1('MD5', 'Mufasa', 'http-auth@example.org', 'Circle of Life')
  assert.equal(digestResponse({ ...example, algorithm: 'MD5', ha1: md5 }), '8ca523f5e9506fed4657c9700eebdbec')
  const sha = digestHa1('SHA-256', 'Mufasa', 'http-auth@example.org', 'Circle of Life')
  assert.equal(
    digestResponse({ ...example, algorithm: 'SHA-256', ha1: sha }),
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  )
  const old = { ...example, nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093', cnonce: '0a4f113b' }
  const ha1 = digestHa1('MD5', 'Mufasa', 'testrealm@host.com', 'Circle Of Life')
  assert.equal(ha1, '939e7578ed9e3c518a452acee763bce9')
  assert.equal(digestResponse({ ...old, algorithm: 'MD5', ha1 }), '6629fae49393a05397450978507c4ef1')
})

test('distinguishes session algorithms and the form without qop', () => {
  const ha1 = digestHa1('SHA-512-256', 'a', 'b', 'c')
  assert.equal(ha1.length, 64)
  const parts = { ...example, algorithm: 'SHA-512-256', ha1 } as const
  const answers = new Set([digestResponse(parts), digestResponse({ ...parts, session: true }), digestResponse({ ...parts, nc: undefined })])
  assert.equal(answers.size, 3)
})

test('parses algorithm names', () => {
  assert.deepEqual(readAlgorithm(undefined), { algorithm: 'MD5', session: false })
  assert.deepEqual(readAlgorithm('sha-256-SESS'), { algorithm: 'SHA-256', session: true })
  assert.deepEqual(readAlgorithm('SHA-512-256'), { algorithm: 'SHA-512-256', session: false })
  assert.equal(readAlgorithm('SHA-1'), undefined)
  assert.equal(readAlgorithm('-sess'), undefined)
})
