export const periods = ['today', 'yesterday', 'week', 'month'] as const

export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

/** A calendar day in the browser's time zone. */
const dayAt = (now: Date, daysAgo: number): string => {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** The days of a period: the last seven end today. */
export const daysOf = (period: string, now: Date): { from?: string; to?: string } => {
  if (period === 'today') return { from: dayAt(now, 0) }
  if (period === 'yesterday') return { from: dayAt(now, 1), to: dayAt(now, 1) }
  if (period === 'week') return { from: dayAt(now, 6) }
  return period === 'month' ? { from: dayAt(now, 29) } : {}
}
