import type { PortingDesk } from '#core/account/portings/porting-record.ts'
import type { Parts } from './parts.ts'

export const portingDesk = ({ clock, vault, installation }: Parts): PortingDesk => ({
  clock,
  vault,
  carrierCode: installation.carrierCode,
  publicUrl: installation.publicUrl,
})
