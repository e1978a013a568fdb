import assert from 'node:assert/strict'
import { test } from 'node:test'
import { terminalLine } from './log.ts'

test('a log line at a terminal has time, level, text, and the other fields', () => {
  const at = new Date(2026, 10, 15, 9, 8, 7).getTime()
  const line = { level: 40, time: at, pid: 1, hostname: 'vm', folder: '/models', count: 2, msg: 'speech models are missing' }
  assert.equal(terminalLine(JSON.stringify(line)), '09:08:07 warn  speech models are missing folder="/models" count=2\n')
  assert.equal(terminalLine(JSON.stringify({ level: 35, time: at, msg: 'odd' })), '09:08:07 35    odd\n')
})
