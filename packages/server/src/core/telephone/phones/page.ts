import type { PageFrame, PhoneNews } from '@offhook/contract/v3/phone.ts'
import type { PageView } from '#core/kernel/ports/browser.ts'

export interface PageOwner {
  accountId: string
  userId: string
  deviceId: string
}

/** A page, on any node. */
export interface Page extends PageOwner {
  readonly id: string
  send(news: PhoneNews): void
}

/** A frame about one call. */
export type CallFrame = Exclude<PageFrame, { type: 'visible' | 'resume' }>

export type Resumption = Pick<Extract<PageFrame, { type: 'resume' }>, 'pageId' | 'callIds'>

/** Connection to a page. */
export interface PageLine {
  send: (news: PhoneNews) => void
  /** Closes the connection without a message: the page has another one. */
  drop: () => void
}

/** Pages of one device on one node. `away`: the connection broke; the page does not ring, and its calls wait for it. */
export interface HeldPages {
  at: string
  owner: PageOwner
  pages: (PageView & { away?: true })[]
}
