import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Halftone } from './halftone.ts'
import { rowBytes, type MonoPage } from './mono-page.ts'

const print = (width: number, height: number, shade: (x: number, y: number) => number): MonoPage => {
  const halftone = new Halftone(width, height)
  for (let y = 0; y < height; y++) halftone.add(Uint8Array.from({ length: width }, (_, x) => shade(x, y)))
  return halftone.page
}

const rowsOf = ({ width, height, bits }: MonoPage): string[] =>
  Array.from({ length: height }, (_, y) =>
    [...bits.subarray(y * rowBytes(width), (y + 1) * rowBytes(width))].map((byte) => byte.toString(2).padStart(8, '0')).join(''),
  )

const blackPart = (page: MonoPage): number => rowsOf(page).join('').replaceAll('0', '').length / (page.width * page.height)

test('keeps the darkness: half grey is half black, and darker greys are darker', () => {
  const parts = [255, 208, 188, 168, 148, 128, 112, 96, 80, 63, 0].map((shade) => blackPart(print(320, 320, () => shade)))
  assert.deepEqual([parts[0], parts[1], parts[9], parts[10]], [0, 0, 1, 1])
  assert.ok(Math.abs(parts[5]! - 0.5) < 0.02, `half is ${parts[5]}`)
  for (const [index, part] of parts.slice(2, 10).entries()) assert.ok(part > parts[index + 1]! + 0.08, parts.join(' '))
})

test('dots have many pixels, which compress well', () => {
  const changes = rowsOf(print(320, 320, () => 128)).reduce((sum, row) => sum + [...row.matchAll(/(?<=0)1|(?<=1)0/g)].length, 0)
  assert.ok(changes / (320 * 320) < 0.3, `${changes / (320 * 320)}`)
})

test('does not fray soft edges of letters, across or down', () => {
  const profile = [255, 250, 180, 90, 10, 10, 90, 180, 250, 255]
  const upright = rowsOf(print(80, 40, (x) => profile[x - 30] ?? 255))
  assert.deepEqual([...new Set(upright)], [`${'0'.repeat(33)}1111${'0'.repeat(43)}`])
  const lying = rowsOf(print(80, 40, (_, y) => profile[y - 10] ?? 255))
  assert.deepEqual(
    lying.flatMap((row, y) => (row === '1'.repeat(80) ? [y] : [])),
    [13, 14, 15, 16],
  )
  assert.equal(lying.filter((row) => row === '0'.repeat(80)).length, 36)
})

test('the area outside of the page stays white for any width', () => {
  for (const width of [1, 7, 8, 9]) assert.deepEqual(rowsOf(print(width, 1, () => 0)), ['1'.repeat(width).padEnd(rowBytes(width) * 8, '0')])
})
