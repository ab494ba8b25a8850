/** A mistake of one kind. It can be made at every place of that kind. */
export interface Mistake<Plug> {
  readonly id: string;
  /** Who makes it, and why: one sentence. */
  readonly story: string;
  /** What the developer wrote in place of the right decision. */
  readonly plug: Plug;
}
