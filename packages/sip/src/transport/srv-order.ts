export interface SrvRecord {
  priority: number
  weight: number
  port: number
  name: string
}

/** RFC 2782: within one priority each is drawn with a chance like its weight; those without weight have a very small one. */
const draw = (records: readonly SrvRecord[], random: () => number): SrvRecord[] => {
  const left = records.toSorted((a, b) => a.weight - b.weight)
  const drawn: SrvRecord[] = []
  while (left.length > 0) {
    const sum = left.reduce((total, { weight }) => total + weight, 0)
    const mark = Math.floor(random() * (sum + 1))
    let running = 0
    const index = left.findIndex(({ weight }) => (running += weight) >= mark)
    drawn.push(...left.splice(index, 1))
  }
  return drawn
}

export const byPriorityAndWeight = (records: readonly SrvRecord[], random: () => number): SrvRecord[] => {
  const priorities = [...new Set(records.map(({ priority }) => priority))].toSorted((a, b) => a - b)
  return priorities.flatMap((priority) =>
    draw(
      records.filter((record) => record.priority === priority),
      random,
    ),
  )
}
