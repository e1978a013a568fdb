import assert from 'node:assert/strict'
import type { Operation } from '@offhook/contract'
import type { Person } from '#test/world/world.ts'
import { exampleBody, otherIds } from './examples.ts'

interface Answer {
  status: number
  text: string
}

export const send = async (url: string, operation: Operation, path: string, body: unknown, authorization?: string): Promise<Answer> => {
  const headers: Record<string, string> = {}
  if (authorization !== undefined) headers.authorization = authorization
  if (body !== undefined) headers['content-type'] = operation.form ? 'application/x-www-form-urlencoded' : 'application/json'
  const text = operation.form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
  const reply = await fetch(url + path, {
    method: operation.method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body: text }),
  })
  // An event stream has no end: reads only its beginning.
  if (operation.events && reply.ok) return { status: reply.status, text: await beginningOf(reply) }
  return { status: reply.status, text: await reply.text() }
}

const beginningOf = async ({ body }: Response): Promise<string> => {
  const reader = body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return Buffer.from(value ?? []).toString()
}

/** Path with the ids of an account, and a body that names that account's resources. */
export const aim = (operation: Operation, ids: Record<string, string>): { path: string; body: unknown } => {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const id = ids[otherIds[operation.id]?.[name] ?? name]
    assert.ok(id !== undefined, `the fixtures know no ${name}, which ${operation.id} needs`)
    return encodeURIComponent(id)
  })
  return { path, body: exampleBody(operation, ids) }
}

export const bearer = ({ token }: Person): string => `Bearer ${token}`

/** `line_unavailable` and `speech_unavailable` are expected here; every other 5xx is a fault. */
export const assertNoFault = (operation: Operation, { status, text }: Answer, sent: string): void => {
  assert.ok(status < 500 || /line_unavailable|speech_unavailable/.test(text), `${operation.id} answered ${status} to ${sent}: ${text}`)
}
