import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject, type UIEvent } from 'react'

/** Rows that are drawn beyond the edges, so that scrolling shows no holes. */
const beyond = 8

export interface Window {
  ref: RefObject<HTMLDivElement | null>
  onScroll: (event: UIEvent<HTMLDivElement>) => void
  /** Which rows are to be drawn. */
  from: number
  to: number
  /** The newest row is seen, and will be when another comes. */
  following: boolean
  follow: (on: boolean) => void
  show: (row: number) => void
}

/**
 * Of many rows of the same height only those that can be seen are drawn; at the end it stays at the end. `chosen`: the row that the user
 * comes to see, if it is one; they find it, and go on from there with the keyboard.
 */
export const useWindow = (count: number, rowHeight: number, isLive: boolean, chosen: number): Window => {
  const ref = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [visible, setVisible] = useState(20)
  const [following, setFollowing] = useState(isLive && chosen < 0)
  useLayoutEffect(() => {
    const box = ref.current
    if (!box) return undefined
    const observer = new ResizeObserver(() => setVisible(Math.ceil(box.clientHeight / rowHeight)))
    observer.observe(box)
    return () => observer.disconnect()
  }, [rowHeight])
  useLayoutEffect(() => {
    if (following && ref.current) ref.current.scrollTop = count * rowHeight
  }, [following, count, rowHeight])
  const onScroll = useCallback(
    ({ currentTarget: box }: UIEvent<HTMLDivElement>) => {
      setFirst(Math.floor(box.scrollTop / rowHeight))
      setFollowing(box.scrollTop + box.clientHeight >= box.scrollHeight - rowHeight)
    },
    [rowHeight],
  )
  const show = useCallback(
    (row: number) => {
      const box = ref.current
      if (!box) return
      const top = row * rowHeight
      if (top < box.scrollTop) box.scrollTop = top
      if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
    },
    [rowHeight],
  )
  const begin = useEffectEvent(() => {
    if (chosen < 0) return
    show(chosen)
    // Only where the button that led here is gone; a user who filters keeps the focus.
    if (document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
  })
  useEffect(() => begin(), [])
  const last = Math.max(0, count - visible)
  const start = following ? last : Math.min(first, last)
  return {
    ref,
    onScroll,
    from: Math.max(0, start - beyond),
    to: Math.min(count, start + visible + beyond),
    following,
    follow: setFollowing,
    show,
  }
}
