import { SimpleGrid, Switch } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Feature = OutputOf<'listAccountFeatures'>['items'][number]

/** What is booked; each switch counts at once. */
export const AccountFeatures = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const features = useRead('listAccountFeatures', { accountId })
  const book = useWrite('bookAccountFeature', { refreshes: ['listAccountFeatures'] })
  const cancel = useWrite('cancelAccountFeature', { refreshes: ['listAccountFeatures'] })
  const set = (feature: Feature, booked: boolean): void =>
    (booked ? book : cancel).mutate([{ accountId, feature }], { onError: toast.failed })
  return (
    <Section title={say.features} description={say.featuresHint}>
      <Loaded query={features}>
        {({ items }) => (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {(Object.keys(say.featureNames) as Feature[]).map((feature) => (
              <Switch
                key={feature}
                label={say.featureNames[feature]}
                checked={items.includes(feature)}
                disabled={book.isPending || cancel.isPending}
                onChange={(event) => set(feature, event.currentTarget.checked)}
              />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Section>
  )
}
