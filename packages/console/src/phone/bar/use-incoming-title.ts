import { useEffect } from 'react'
import { useText } from '#words/use-text.tsx'
import type { PhoneCall } from '#api/phone/calls.ts'
import { text } from './text.ts'
import { usePartyName } from './use-party-name.ts'

/** While it rings the name of the page, which is seen in other tabs, too, says who calls. */
export const useIncomingTitle = (call: PhoneCall | undefined): void => {
  const say = useText(text)
  const nameOf = usePartyName()
  const title = call && say.incomingFrom(nameOf(call.party).name)
  useEffect(() => {
    if (title === undefined) return undefined
    const before = document.title
    document.title = title
    return () => {
      if (document.title === title) document.title = before
    }
  }, [title])
}
