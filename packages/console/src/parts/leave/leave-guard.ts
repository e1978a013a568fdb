import { useEffect, useEffectEvent } from 'react'
import { useText } from '#words/use-text.tsx'
import { useConfirm } from '../dialog/confirm.tsx'
import { text } from '../text.ts'

type Ask = () => Promise<boolean>
type Navigate<Options> = (to: string, options?: Options) => void

/** Who has to be asked before the page is left; at most one page is open. */
let ask: Ask | undefined

/** Around every way that leads to another page, by a link or by the program: `<Router aroundNav={askFirst}>`. */
export const askFirst = <Options>(navigate: Navigate<Options>, to: string, options?: Options): void => {
  const leaves = to.split('?')[0] !== location.pathname
  if (ask === undefined || !leaves) return navigate(to, options)
  void ask().then((yes) => {
    if (!yes) return
    ask = undefined
    navigate(to, options)
  })
}

/** As long as something is not saved, leaving the page asks first: links, the button Back, closing the window. */
export const useLeaveGuard = (unsaved: boolean): void => {
  const say = useText(text)
  const confirm = useConfirm()
  const question = useEffectEvent(() => confirm({ title: say.leaveTitle, body: say.leaveBody, confirm: say.leave }))
  useEffect(() => {
    if (!unsaved) return undefined
    const own: Ask = () => question()
    ask = own
    const stay = guardHistory(() => ask)
    addEventListener('beforeunload', preventLeaving)
    return () => {
      if (ask === own) ask = undefined
      stay()
      removeEventListener('beforeunload', preventLeaving)
    }
  }, [unsaved])
}

const preventLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Browsers go back before anybody can say no. So the page is put back into the history, and left once more when the person agrees. */
const guardHistory = (asked: () => Ask | undefined): (() => void) => {
  const here = location.href
  const onBack = (event: PopStateEvent): void => {
    const present = asked()
    if (present === undefined) return
    event.stopImmediatePropagation()
    history.pushState(null, '', here)
    void present().then((yes) => {
      if (!yes) return
      ask = undefined
      history.back()
    })
  }
  // Before the router hears of it.
  addEventListener('popstate', onBack, { capture: true })
  return () => removeEventListener('popstate', onBack, { capture: true })
}
