import assert from 'node:assert/strict'

/** What /metrics of a process shows: lines without comments, by what stands before the value. */
export const readMetrics = async (url: string, token: string): Promise<Map<string, number>> => {
  const reply = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(reply.status, 200)
  const lines = (await reply.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}
