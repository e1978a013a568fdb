import { Problem } from '@offhook/contract/problem.ts'

/** An address that calls can be told to: absolute, http or https, nothing after a #. Empty means none. */
export const requirePushUrl = (field: string, written: string): void => {
  if (written === '') return
  if (!/^https?:\/\/[^\s#]+$/i.test(written) || !URL.canParse(written))
    throw Problem.field(field, 'must be an absolute http or https address without a fragment, or empty')
}
