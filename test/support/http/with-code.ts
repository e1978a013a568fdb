import assert from 'node:assert/strict'
import { errors, type ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { ApiError } from '@offhook/sdk/client-of.ts'

/**
 * For `assert.rejects` and `assert.throws`: matches an error of the service by its code, and by what it names: fields, ids, limits.
 * Texts are not asserted here; `docs/errors.md` holds them.
 */
export const withCode =
  (code: ErrorCode, ...named: readonly string[]) =>
  (error: unknown): boolean => {
    if (!(error instanceof ApiError) && !(error instanceof Problem)) throw error
    const { code: actual, details = [] } = error instanceof ApiError ? error.body : error
    assert.deepEqual([actual, error.status], [code, errors[code].status], error.message)
    const fields = details.map(({ field }) => field)
    for (const name of named) assert.ok(fields.includes(name) || names(error.message, name), `${error.message} names no ${name}`)
    return true
  }

/** A whole word, so that `p1` is not found in `p10`. */
const names = (text: string, name: string): boolean =>
  ` ${text} `.split(name).some((before, at, all) => at < all.length - 1 && !/\w$/.test(before) && !/^\w/.test(all[at + 1] ?? ''))
