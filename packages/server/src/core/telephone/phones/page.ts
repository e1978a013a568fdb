import type { PageFrame, PhoneNews } from '@offhook/contract/v3/phone.ts'
import type { PageView } from '#core/kernel/ports/browser/phone-pages.ts'

/** Whose page it is. */
export interface PageOwner {
  accountId: string
  userId: string
  deviceId: string
}

/** A page, wherever it is connected. */
export interface Page extends PageOwner {
  readonly id: string
  send(news: PhoneNews): void
}

/** What is said about one call. */
export type CallFrame = Exclude<PageFrame, { type: 'visible' | 'resume' }>

export type Resumption = Pick<Extract<PageFrame, { type: 'resume' }>, 'pageId' | 'callIds'>

/** How a page is reached. */
export interface PageLine {
  send: (news: PhoneNews) => void
  /** Ends the connection without a word: the page has another one. */
  drop: () => void
}

/** The pages of one device at one process. `away`: the connection broke; nothing rings there, and its calls wait for it. */
export interface HeldPages {
  at: string
  owner: PageOwner
  pages: (PageView & { away?: true })[]
}
