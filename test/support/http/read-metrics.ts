import assert from 'node:assert/strict'

/** Lines of a process's /metrics without comments, by metric name with labels. */
export const readMetrics = async (url: string, token: string): Promise<Map<string, number>> => {
  const reply = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(reply.status, 200)
  const lines = (await reply.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}
