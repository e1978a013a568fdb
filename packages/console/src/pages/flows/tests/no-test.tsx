import { EmptyState } from '#parts/page/empty-state.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const NoTest = () => {
  const say = useText(text)
  return (
    <EmptyState icon="check" title={say.emptyTitle}>
      {say.empty}
    </EmptyState>
  )
}
