import { Text } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** Parts of the service that do something by themselves. */
const ours: readonly string[] = ['service', 'system', 'first-run']

/** Who did something, as records name them: `operator:<id>`, `user:<id>` or a part of the service. The whole name on hover. */
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
