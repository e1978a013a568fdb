import { useEffect, useState } from 'react'

/** Current time, updated every second while running. */
export const useNow = (running: boolean): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!running) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [running])
  return now
}
