// test: own process
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toolNames } from '@offhook/contract/tools.ts'
import { startWorld } from '#test/world/world.ts'

const bin = join(import.meta.dirname, '../../../../bin/offhook.mjs')

test('serves the official client over stdio', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'agent' })
  const client = new Client({ name: 'test', version: '1' })
  const args = [bin, 'mcp', '--url', world.url, '--token', `${tokenId}:${token}`]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }))
  t.after(() => client.close())
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    [...toolNames],
  )
  const { content, isError } = await client.callTool({ name: 'list_flows', arguments: {} })
  assert.equal(isError ?? false, false)
  assert.match((content as { text: string }[])[0]?.text ?? '', /"items"/)
})
