import { readFileSync } from 'node:fs'
import { manifest } from '#places.ts'

/** Of this service, as its package says. */
export const version = (): string => {
  const { version: number } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return number
}
