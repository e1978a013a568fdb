import { useEffect, useEffectEvent } from 'react'
import { useText } from '#words/use-text.tsx'
import { useConfirm } from '../dialog/confirm.tsx'
import { text } from '../text.ts'

type Navigate<Options> = (to: string, options?: Options) => void

interface Guard {
  ask: () => Promise<boolean>
  href: string
}

/** What is not to be left without asking: a page, and perhaps a dialog on it, which is asked first. */
const guards: Guard[] = []

const leaveIfWanted = async (leave: () => void): Promise<void> => {
  if (!(await guards.at(-1)?.ask())) return
  guards.length = 0
  leave()
}

/** Around every way that leads to another page, by a link or by the program: `<Router aroundNav={askFirst}>`. */
export const askFirst = <Options>(navigate: Navigate<Options>, to: string, options?: Options): void => {
  const leaves = to.split('?')[0] !== location.pathname
  if (guards.length === 0 || !leaves) navigate(to, options)
  else void leaveIfWanted(() => navigate(to, options))
}

/**
 * Browsers go back before anybody can say no. So the page is put back into the history, and left once more when the person agrees. Called before
 * the router listens: who listens first can keep it from others.
 */
export const guardHistory = (): void =>
  addEventListener('popstate', (event) => {
    const guarded = guards.at(-1)
    if (guarded === undefined || guarded.href === location.href) return
    event.stopImmediatePropagation()
    history.pushState(null, '', guarded.href)
    void leaveIfWanted(() => history.back())
  })

export interface LeaveWords {
  title: string
  body: string
  confirm: string
}

/** As long as something is not saved, leaving the page asks first: links, the button Back, closing the window. `words`: for what is lost otherwise. */
export const useLeaveGuard = (unsaved: boolean, words?: LeaveWords): void => {
  const say = useText(text)
  const confirm = useConfirm()
  const question = useEffectEvent(() => confirm(words ?? { title: say.leaveTitle, body: say.leaveBody, confirm: say.leave }))
  useEffect(() => {
    if (!unsaved) return undefined
    const own: Guard = { ask: () => question(), href: location.href }
    guards.push(own)
    addEventListener('beforeunload', preventLeaving)
    return () => {
      const at = guards.indexOf(own)
      if (at >= 0) guards.splice(at, 1)
      removeEventListener('beforeunload', preventLeaving)
    }
  }, [unsaved])
}

/** The same for a dialog, whose way out is to be closed. */
export const useGuardedClose = (unsaved: boolean, close: () => void): (() => void) => {
  const confirm = useConfirm()
  const say = useText(text)
  useLeaveGuard(unsaved)
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.leaveTitle, body: say.leaveBody, confirm: say.leave })) close()
  }
  return unsaved ? () => void ask() : close
}

const preventLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()
