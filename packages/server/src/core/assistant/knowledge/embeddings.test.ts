import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { startWorld } from '#test/world/world.ts'

/** Model with two meanings: animals, and everything else. */
const vectorOf = (text: string): number[] => (/dog|hound|cat/.test(text) ? [1, 0.1, 0] : [0, 0.1, 1])

test('finds passages by meaning with an embedding model; falls back to words and reports it when the model fails', async (t) => {
  let works = true
  const customer = await startCustomer(t, ({ path, headers, body }, response) => {
    if (!works || path !== '/v1/embeddings' || headers.authorization !== 'Bearer key') return response.writeHead(500).end()
    const { model, input } = JSON.parse(body) as { model: string; input: string[] }
    assert.equal(model, 'small')
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) })).toReversed()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  const logged: string[] = []
  const log = (code: string): void => void logged.push(code)
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }, replaced: { log } })
  const { api } = await world.newAccount()
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop' })
  const embeddings = { url: `http://${customer.address}/v1/`, name: 'small', api_key: 'key' }
  await api.changeAssistant({ aiFlowId }, { settings: { greeting: 'Hi', prompt: '', knowledge: { use: 'tool', embeddings } } })
  const add = async (text: string) => {
    const { id: documentId } = await api.addKnowledge({ aiFlowId }, { text })
    await world.clock.advance(0)
    return api.getKnowledge({ aiFlowId, documentId })
  }
  const search = async (query: string) => (await api.searchKnowledge({ aiFlowId }, { query })).items.map(({ text }) => text)
  const dogs = 'Your dog may come along.'
  assert.equal((await add(dogs)).problem, undefined)
  await add('Parking is free.')
  assert.equal((await search('What about my hound?'))[0], dogs)
  works = false
  assert.deepEqual(await search('What about my hound?'), [])
  assert.deepEqual(await search('dogs'), [dogs])
  assert.ok(logged.includes('knowledge_embeddings_failed'))
  const { state, problem } = await add('Cats stay outside.')
  assert.equal(state, 'READY')
  assert.match(problem ?? '', /by its words only: the model answered with 500/)
})
