import { Text } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** Parts of the service that act on their own. */
const ours: readonly string[] = ['service', 'system', 'first-run']

/** An actor as recorded: `operator:<id>`, `user:<id>` or a part of the service. The full name on hover. */
export const Actor = ({ name }: { name: string }) => {
  const say = useText(text)
  const [kind, id] = name.split(':', 2)
  const words =
    kind === 'operator' ? say.operator : kind === 'user' && id !== undefined ? say.user(id) : ours.includes(name) ? say.service : name
  return (
    <Text span inherit title={name}>
      {words}
    </Text>
  )
}
