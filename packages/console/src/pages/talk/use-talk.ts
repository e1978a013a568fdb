import { useEffect, useState, useSyncExternalStore } from 'react'
import { Talk, type TalkView } from './talk.ts'

/** The call of this page. Leaving the page hangs up. */
export const useTalk = (): { talk: Talk; view: TalkView } => {
  const [talk] = useState(() => new Talk())
  useEffect(() => () => talk.close(), [talk])
  return { talk, view: useSyncExternalStore(talk.subscribe, () => talk.view) }
}
