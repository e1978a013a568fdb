import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256, signedHeaders, signedLink, type S3Request } from './s3-wire.ts'

// The examples that Amazon publishes in "Authenticating Requests: Using the Authorization Header" and "… Query Parameters (AWS Signature Version 4)".
const keys = { key: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', region: 'us-east-1' }
const at = Date.UTC(2013, 4, 24)
const host = 'https://examplebucket.s3.amazonaws.com'

const examples: { title: string; request: S3Request; signed: string; signature: string }[] = [
  {
    title: 'a part of an object',
    request: { method: 'GET', url: `${host}/test.txt`, headers: { range: 'bytes=0-9' } },
    signed: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    title: 'a new object with an odd name',
    request: {
      method: 'PUT',
      url: `${host}/test$file.text`,
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: Buffer.from('Welcome to Amazon S3.'),
    },
    signed: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    title: 'a question about the bucket',
    request: { method: 'GET', url: `${host}/?lifecycle` },
    signed: 'host;x-amz-content-sha256;x-amz-date',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    title: 'a list',
    request: { method: 'GET', url: `${host}/?max-keys=2&prefix=J` },
    signed: 'host;x-amz-content-sha256;x-amz-date',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

for (const { title, request, signed, signature } of examples)
  test(`computes the published signature of ${title}`, async () => {
    const headers = await signedHeaders(keys, request, at)
    const [, credential, names, given] =
      /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(.+)$/.exec(headers['authorization'] ?? '') ?? []
    assert.equal(credential, 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request')
    assert.equal(names, signed)
    assert.equal(given, signature)
    assert.equal(headers['x-amz-content-sha256'], sha256(request.body ?? new Uint8Array()))
  })

test('computes the published link that reads an object for a day', async () => {
  const { searchParams } = new URL(await signedLink(keys, `${host}/test.txt`, 86_400, at))
  assert.equal(searchParams.get('X-Amz-Signature'), 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
})
