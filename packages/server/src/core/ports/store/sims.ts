export interface Sims {}
